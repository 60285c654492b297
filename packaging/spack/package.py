"""paw, the Performance Assessment Workbench, for Spack.

Fill in before use: `git` (or `url` and a version's `sha256`), where the sources are published, and your name as maintainer.
Then copy this file to packages/paw/package.py of a repository of your own (`spack repo create`, `spack repo add`).
"""

from spack.package import *


class Paw(Package):
    """Measures BLAS, memory, messages, devices, programs and functions, and says how far to trust each number."""

    homepage = "FILL IN: page of the project"
    git = "FILL IN: address of the repository"

    license("MIT OR Apache-2.0", checked_by="FILL IN")

    version("main", branch="main")

    # paw opens BLAS, MPI and drivers at run time: it is built once for all of them.
    depends_on("rust@1.95:", type="build")
    depends_on("c", type="build")

    phases = ["build", "install"]

    def build(self, spec, prefix):
        cargo = which("cargo", required=True)
        cargo("build", "--release", "--locked", "--package", "paw", "--bin", "paw")

    def install(self, spec, prefix):
        tree = Executable(join_path(self.stage.source_path, "packaging", "tree.sh"))
        tree(join_path("target", "release", "paw"), prefix)

    @run_after("install")
    def install_test(self):
        Executable(self.prefix.bin.paw)("--version")
