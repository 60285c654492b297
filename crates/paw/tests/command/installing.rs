//! `paw install`: links under PAW's names, manual pages and completions.

use std::fs;
use std::process::Command;

use crate::workplace::{PAW, Workplace};

#[test]
fn a_family_of_names_becomes_links_that_run() {
    let workplace = Workplace::new();
    let ran = workplace.paw("install --prefix here blas");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        workplace.names("here/bin"),
        ["blas_dgemm", "blas_dgemm_single", "blas_dgemv", "blas_sgemm", "blas_sgemv"]
    );
    let args = "--set n=8 --provider embedded --threads 1 --dry-run";
    let output = Command::new(workplace.path("here/bin/blas_dgemv")).args(args.split(' ')).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && text.contains("dgemv"), "{text}");
}

#[test]
fn all_names_are_those_of_every_family() {
    let workplace = Workplace::new();
    let count = |family: &str| {
        let ran = workplace.paw(&format!("install --prefix {family} {family}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        fs::read_dir(workplace.path(family).join("bin")).map_or(0, Iterator::count)
    };
    let counts = ["blas", "mpi", "gpu", "phi"].map(count);
    assert!(counts.iter().all(|count| *count >= 5), "{counts:?}");
    // And `stream`, which belongs to none.
    assert_eq!(count("all"), counts.iter().sum::<usize>() + 1);
    assert_eq!(count("pages"), 0);
}

#[test]
fn every_command_has_a_page_and_every_shell_its_completions() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw("install --prefix here pages").code, 0);
    let pages = workplace.names("here/share/man/man1");
    for page in ["paw.1", "paw-run.1", "paw-kernel.1", "paw-kernel-measure.1", "paw-install.1", "paw-schema.1"] {
        assert!(pages.iter().any(|name| name == page), "{page} is not among {pages:?}");
    }
    assert!(!pages.iter().any(|name| name.contains("__")), "hidden commands have no page: {pages:?}");
    let page = workplace.read("here/share/man/man1/paw-install.1");
    assert!(page.contains(".TH paw-install 1") && page.contains("Link PAW"), "{page}");
    for (path, word) in [
        ("here/share/bash-completion/completions/paw", "complete -F _paw"),
        ("here/share/zsh/site-functions/_paw", "#compdef paw"),
        ("here/share/fish/vendor_completions.d/paw.fish", "complete -c paw"),
    ] {
        let script = workplace.read(path);
        assert!(script.contains(word) && !script.contains("__worker"), "{path}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = workplace.paw(&format!("completions {shell}")).out;
        assert!(script.contains("selftest") && script.contains("redact"), "{script}");
        for own in ["__worker", "__replay"] {
            assert!(!script.contains(own), "{shell} offers {own}, which paw starts itself");
        }
    }
}

#[test]
fn a_second_installation_replaces_the_first() {
    let workplace = Workplace::new();
    let first = workplace.paw("install --prefix here");
    let second = workplace.paw("install --prefix here");
    assert_eq!((first.code, second.code), (0, 0), "{}", second.err);
    assert_eq!(first.out, second.out);
    // The program of another version, by another name.
    fs::copy(PAW, workplace.path("paw-0.2")).unwrap();
    assert_eq!(workplace.shell("./paw-0.2 install --prefix here").code, 0);
    let third = workplace.paw("install --prefix here");
    assert_eq!((third.code, third.out), (0, first.out), "{}", third.err);
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw("install --prefix here pages").code, 0);
    let page = |name: &str| workplace.read(&format!("here/share/man/man1/{name}"));
    let (before, names) = (page("paw-app.1"), workplace.names("here/share/man/man1"));
    // A limit on file sizes acts as a full disk: pages of more than 4 KiB are not written.
    let ran = workplace.shell("ulimit -f 8; exec $PAW install --prefix here pages");
    assert!(ran.code == 7 && ran.err.contains("cannot be written"), "{}", ran.err);
    assert_eq!(page("paw-app.1"), before);
    assert_eq!(workplace.names("here/share/man/man1"), names, "no half file is left");
    assert_eq!(workplace.paw("install --prefix here pages").code, 0);
}

#[test]
fn a_program_that_lies_in_the_tree_is_named_without_its_path() {
    let workplace = Workplace::new();
    fs::create_dir_all(workplace.path("here/bin")).unwrap();
    fs::copy(PAW, workplace.path("here/bin/paw")).unwrap();
    let ran = workplace.shell("here/bin/paw install --prefix here mpi");
    assert_eq!(ran.code, 0, "{}", ran.err);
    fs::rename(workplace.path("here"), workplace.path("there")).unwrap();
    assert_eq!(fs::read_link(workplace.path("there/bin/latency")).unwrap().to_str(), Some("paw"));
    assert!(workplace.path("there/bin/latency").exists());
}

#[test]
fn files_of_others_stay_and_nothing_is_made_beside_them() {
    for foreign in ["here/bin/stream", "here/share/man/man1/paw-run.1"] {
        let workplace = Workplace::new();
        let path = workplace.path(foreign);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        let ran = workplace.paw("install --prefix here");
        assert_eq!(ran.code, 7, "{}", ran.out);
        assert!(ran.err.contains(foreign) && ran.err.contains("nothing is installed"), "{}", ran.err);
        assert_eq!(workplace.read(foreign), "mine");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
    for directory in ["here", "here/bin", "here/share", "here/share/man"] {
        let workplace = Workplace::new();
        let path = workplace.path(directory);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        let ran = workplace.paw("install --prefix here");
        assert!(ran.err.contains(&format!("{directory} exists and was not made")), "{}", ran.err);
        assert_eq!((ran.code, fs::read_dir(path.parent().unwrap()).unwrap().count()), (7, 1));
    }
    let workplace = Workplace::new();
    fs::create_dir_all(workplace.path("here/bin")).unwrap();
    std::os::unix::fs::symlink("/bin/true", workplace.path("here/bin/stream")).unwrap();
    assert_eq!(workplace.paw("install --prefix here").code, 7, "a link to another program");
}

#[test]
fn a_dry_run_makes_nothing() {
    let workplace = Workplace::new();
    let ran = workplace.paw("install --prefix here --dry-run");
    assert!(ran.code == 0 && ran.out.contains("here/bin/p2p_send -> "), "{}", ran.out);
    assert!(ran.out.contains("would be made"), "{}", ran.out);
    assert!(!workplace.path("here").exists());
}
