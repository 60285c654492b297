//! Packages: made from the program under test, unpacked into an empty directory, and run from there.

use std::fs;
use std::path::Path;

use workplace::needs;

use crate::workplace::{TINY, Workplace};

const PACKAGING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging");

/// A directory with the program as a release has it: without its debug information.
fn with_small_paw() -> Workplace {
    let workplace = Workplace::new();
    let ran = workplace.shell("strip -o paw \"$PAW\"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    workplace
}

/// The program below `tree` measures, and has its pages, completions, schema and licences.
fn works(workplace: &Workplace, tree: &str) {
    let ran = workplace.shell(&format!("env -i {tree}/bin/paw {TINY} --out measured"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = workplace.read("measured/run.jsonl");
    assert!(text.contains("\"status\":\"measured\""), "{text}");
    for file in ["man/man1/paw.1.gz", "man/man1/paw-run.1.gz", "bash-completion/completions/paw"] {
        assert!(workplace.path(tree).join("share").join(file).exists(), "{file}");
    }
    let documents = workplace.path(tree).join("share/doc/paw");
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "examples/kernels/product.toml", "run.schema.json"] {
        assert!(documents.join(file).exists(), "{file}");
    }
    for folder in [documents.clone(), documents.join("docs")] {
        let pages = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let pages: Vec<_> = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
        assert!(pages.len() >= 6, "{pages:?}");
        for page in pages {
            let text = fs::read_to_string(&page).unwrap();
            assert!(!text.contains("{{#include"), "{}", page.display());
            let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next()?.split('#').next());
            for link in links.filter(|link| !link.is_empty() && !link.contains([':', ' ', '`'])) {
                assert!(folder.join(link).exists(), "{} leads to {link}, which is not in the package", page.display());
            }
        }
    }
}

#[test]
fn the_deb_runs_where_it_is_unpacked() {
    needs!(DPKG);
    let workplace = with_small_paw();
    // Compression takes longest, and is dpkg's.
    let made = workplace.shell(&format!("DPKG_DEB_COMPRESSOR_TYPE=none {PACKAGING}/deb.sh ./paw out"));
    assert_eq!(made.code, 0, "{}", made.err);
    let unpacked = workplace.shell("dpkg-deb -x out/paw_*.deb tree && dpkg-deb -f out/paw_*.deb");
    assert_eq!(unpacked.code, 0, "{}", unpacked.err);
    let version = concat!("Version: ", env!("CARGO_PKG_VERSION"));
    assert!(unpacked.out.contains("Package: paw") && unpacked.out.contains(version), "{}", unpacked.out);
    let depends = unpacked.out.lines().find(|line| line.starts_with("Depends: ")).unwrap();
    assert!(depends.starts_with("Depends: libc6 (>= 2."), "{depends}");
    works(&workplace, "tree/usr");
    assert!(workplace.path("tree/usr/share/zsh/vendor-completions/_paw").exists());
    assert!(workplace.path("tree/usr/share/doc/paw/copyright").exists());
    assert_eq!(workplace.names("tree"), ["usr"]);
}

#[test]
fn the_tarball_runs_where_it_is_unpacked_and_is_the_same_twice() {
    let workplace = with_small_paw();
    let script =
        format!("{PACKAGING}/tarball.sh ./paw out && mv out/*.tar.gz first.tar.gz && {PACKAGING}/tarball.sh ./paw out");
    let made = workplace.shell(&script);
    assert_eq!(made.code, 0, "{}", made.err);
    let name = workplace.names("out").remove(0);
    let folder = name.strip_suffix(".tar.gz").unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert!(folder.starts_with(&format!("paw-{version}-")) && folder.ends_with("-linux-gnu"), "{folder}");
    assert_eq!(workplace.shell("cmp first.tar.gz out/*.tar.gz && tar -xzf first.tar.gz").code, 0);
    works(&workplace, folder);
}

#[test]
fn scripts_and_recipes_are_well_formed() {
    let workplace = Workplace::new();
    for script in fs::read_dir(PACKAGING).unwrap().map(|entry| entry.unwrap().path()) {
        if script.extension().is_some_and(|ending| ending == "sh") {
            let ran = workplace.shell(&format!("bash -n {}", script.display()));
            assert_eq!(ran.code, 0, "{}", ran.err);
        }
    }
    let easyconfig = format!("easybuild/paw-{}-GCCcore-13.3.0.eb", env!("CARGO_PKG_VERSION"));
    for recipe in ["spack/package.py", &easyconfig] {
        let path = Path::new(PACKAGING).join(recipe);
        let script = format!("python3 -c 'compile(open(\"{0}\").read(), \"{0}\", \"exec\")'", path.display());
        let ran = workplace.shell(&script);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(fs::read_to_string(path).unwrap().contains("FILL IN"), "{recipe} names what is to be filled in");
    }
}
