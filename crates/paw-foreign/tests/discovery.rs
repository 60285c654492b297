//! Libraries found in made-up file trees.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use paw_foreign::blas::discovery::{Search, find_all};
use tempfile::TempDir;

/// A tree with these files, empty ones; `a -> b` is a link.
fn tree(entries: &[&str]) -> TempDir {
    let root = tempfile::tempdir().expect("a directory");
    for entry in entries {
        let (path, target) = entry.split_once(" -> ").map_or((*entry, None), |(path, target)| (path, Some(target)));
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
        match target {
            Some(target) => symlink(target, &path).expect("a link"),
            None => fs::write(&path, "").expect("a file"),
        }
    }
    root
}

/// `family path (why)` of everything found in `root`, the root left out.
fn found(root: &Path, variables: &[(&str, &str)]) -> Vec<String> {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let search = Search { root: root.to_owned(), variables };
    let shown = |found: &paw_foreign::blas::discovery::FoundBlas| {
        let path = found.path.strip_prefix(root).expect("below the root").display().to_string();
        format!("{} {path} ({})", found.family, found.why.replace(&root.display().to_string(), ""))
    };
    find_all(&search).iter().map(shown).collect()
}

fn check(entries: &[&str], variables: &[(&str, &str)], expected: &[&str]) {
    let root = tree(entries);
    let root = root.path().canonicalize().expect("it is there");
    assert_eq!(found(&root, variables), expected, "in {entries:?} with {variables:?}");
}

#[test]
fn alternatives_of_a_distribution_are_one_entry_each() {
    check(
        &[
            "usr/lib/openblas-pthread/libopenblasp-r0.3.21.so",
            "usr/lib/openblas-pthread/libopenblas.so.0 -> libopenblasp-r0.3.21.so",
            "usr/lib/openblas-pthread/libblas.so.3",
            "usr/lib/libopenblas.so.0 -> openblas-pthread/libopenblasp-r0.3.21.so",
            "usr/lib/libblas.so.3 -> openblas-pthread/libblas.so.3",
            "usr/lib/openblas-openmp/libopenblas.so.0",
            "usr/lib/blas/libblas.so.3.11.0",
            "usr/lib/blas/libblas.so.3 -> libblas.so.3.11.0",
            "usr/lib/atlas/libblas.so.3",
            "usr/lib/blis-pthread/libblis.so.4",
            "usr/lib/blis-pthread/libblas.so.3",
        ],
        &[],
        &[
            "openblas usr/lib/libopenblas.so.0 (a usual directory)",
            "openblas usr/lib/openblas-openmp/libopenblas.so.0 (a directory of alternatives)",
            "blis usr/lib/blis-pthread/libblis.so.4 (a directory of alternatives)",
            "atlas usr/lib/atlas/libblas.so.3 (a directory of alternatives)",
            "reference usr/lib/blas/libblas.so.3 (a directory of alternatives)",
        ],
    );
}

#[test]
fn what_the_loader_would_take_comes_first() {
    check(
        &["opt/mine/libopenblas.so", "usr/lib/libopenblas.so.0", "usr/local/lib/libopenblas.so"],
        &[("LD_LIBRARY_PATH", "/opt/nothing:/opt/mine:relative")],
        &[
            "openblas opt/mine/libopenblas.so (LD_LIBRARY_PATH)",
            "openblas usr/local/lib/libopenblas.so (a usual directory)",
            "openblas usr/lib/libopenblas.so.0 (a usual directory)",
        ],
    );
}

#[test]
fn wheels_are_found_below_every_python() {
    check(
        &[
            "opt/venv/bin/python3",
            "opt/venv/lib/python3.11/site-packages/scipy_openblas64/lib/libscipy_openblas64_.so",
            "opt/venv/lib/python3.11/site-packages/numpy.libs/libscipy_openblas64_-32a4b2a6.so",
            "opt/venv/lib/python3.11/site-packages/numpy.libs/libgfortran-0352e75f.so.5.0.0",
            "opt/venv/lib/libmkl_rt.so.3",
            "opt/venv/lib/libmkl_core.so.3",
            "home/me/.local/lib/python3.12/site-packages/scipy.libs/libscipy_openblas-68440149.so",
        ],
        &[("PATH", "/usr/bin:/opt/venv/bin"), ("HOME", "/home/me")],
        &[
            "mkl opt/venv/lib/libmkl_rt.so.3 (Python packages below /opt/venv)",
            "openblas opt/venv/lib/python3.11/site-packages/scipy_openblas64/lib/libscipy_openblas64_.so (Python packages below /opt/venv)",
            "openblas opt/venv/lib/python3.11/site-packages/numpy.libs/libscipy_openblas64_-32a4b2a6.so (Python packages below /opt/venv)",
            "openblas home/me/.local/lib/python3.12/site-packages/scipy.libs/libscipy_openblas-68440149.so (Python packages below /home/me/.local)",
        ],
    );
}

#[test]
fn vendors_are_found_by_their_variables_and_names() {
    check(
        &[
            "opt/mkl/lib/libmkl_rt.so.2",
            "opt/mkl/lib/libmkl_rt.so -> libmkl_rt.so.2",
            "opt/aocl/lib/libblis-mt.so",
            "opt/armpl/lib/libarmpl_lp64_mp.so",
            "opt/sci/lib/libsci_gnu_mp.so.6",
            "usr/lib64/libflexiblas.so.3",
            "usr/lib64/atlas/libtatlas.so.3",
            "usr/lib64/libnvpl_blas_lp64_gomp.so.0",
        ],
        &[
            ("MKLROOT", "/opt/mkl"),
            ("AOCL_ROOT", "/opt/aocl"),
            ("ARMPL_DIR", "/opt/armpl"),
            ("CRAY_LIBSCI_PREFIX_DIR", "/opt/sci"),
        ],
        &[
            "mkl opt/mkl/lib/libmkl_rt.so (MKLROOT)",
            "blis opt/aocl/lib/libblis-mt.so (AOCL_ROOT)",
            "flexiblas usr/lib64/libflexiblas.so.3 (a usual directory)",
            "nvpl usr/lib64/libnvpl_blas_lp64_gomp.so.0 (a usual directory)",
            "armpl opt/armpl/lib/libarmpl_lp64_mp.so (ARMPL_DIR)",
            "libsci opt/sci/lib/libsci_gnu_mp.so.6 (CRAY_LIBSCI_PREFIX_DIR)",
            "atlas usr/lib64/atlas/libtatlas.so.3 (a directory of alternatives)",
        ],
    );
}

#[test]
fn files_that_only_look_alike_are_left_alone() {
    let entries = [
        "usr/lib/libopenblas.a",
        "usr/lib/libopenblas.so.0.debug",
        "usr/lib/libblas-extras.so",
        "usr/lib/libmkl_rt.py",
    ];
    check(&entries, &[], &[]);
    check(&[], &[("LD_LIBRARY_PATH", ""), ("MKLROOT", "/nowhere")], &[]);
}

#[test]
fn copies_of_a_library_in_one_directory_are_one() {
    let root = tree(&["venv/lib/libdnnl.so", "venv/lib/libdnnl.so.3", "venv/lib/libdnnl.so.3.2"]);
    let root = root.path().canonicalize().expect("it is there");
    for name in ["libdnnl.so", "libdnnl.so.3"] {
        fs::write(root.join("venv/lib").join(name), "the same").expect("a file");
    }
    fs::write(root.join("venv/lib/libdnnl.so.3.2"), "another one").expect("a file");
    let why = "Python packages below /venv";
    let expected = [format!("onednn venv/lib/libdnnl.so ({why})"), format!("onednn venv/lib/libdnnl.so.3.2 ({why})")];
    assert_eq!(found(&root, &[("VIRTUAL_ENV", "/venv")]), expected);
}
