//! Collectives between devices: one rank alone is right, and what does not fit, or NCCL refuses, is a sentence.

use std::thread;

use paw_foreign::mpi::{Datatype, Memory, Part, Residence};
use paw_foreign::nccl::{Communicator, Nccl, NcclError};

use crate::child::{device, in_child, mock};
use crate::vendor::{BACKEND, COLLECTIVES};

/// Runs `body` where the mock of NCCL or RCCL is named.
fn with_library(name: &str, body: impl FnOnce()) {
    let (variable, file) = COLLECTIVES;
    let path = mock().with_file_name(file).display().to_string();
    in_child(name, &[(variable, &path)], body);
}

/// A communicator of one rank.
fn alone() -> Communicator {
    let library = Nccl::open(BACKEND).unwrap();
    Communicator::join(library, &device(), (0, 1), library.unique_id().unwrap()).unwrap()
}

const N: usize = 5;

/// N doubles from the `nth` on.
fn part(nth: usize) -> Part {
    Part::new(8 * nth, N as i32, Datatype::Double)
}

#[test]
fn a_rank_alone_has_what_it_gave() {
    with_library("collectives::a_rank_alone_has_what_it_gave", || {
        let all = alone();
        let library = all.library();
        assert_eq!(library.version(), format!("{} 2.27.3", library.name().to_uppercase()));
        assert!(library.path().ends_with(COLLECTIVES.1), "{}", library.path().display());
        let memory = Memory::on_device(&device(), 8 * 2 * N, Residence::Device).unwrap();
        let (from, into) = (part(0), part(N));
        let given: Vec<f64> = (0..N).map(|index| index as f64 + 0.5).collect();
        let check = |call: &dyn Fn() -> Result<(), NcclError>| {
            memory.write_doubles(0, &given);
            memory.fill(into, 0);
            call().and_then(|()| all.wait()).and_then(|()| all.late_error()).unwrap();
            assert_eq!(memory.read_doubles(into), given);
        };
        check(&|| all.all_reduce(&memory, from, into));
        check(&|| all.broadcast(&memory, from, into, 0));
        check(&|| all.reduce(&memory, from, into, 0));
        check(&|| all.all_gather(&memory, from, into));
        check(&|| all.reduce_scatter(&memory, from, into));
        check(&|| all.exchange(&memory, std::iter::once((from, 0)), std::iter::once((into, 0))));
    });
}

#[test]
fn what_does_not_fit_is_refused_before_the_library_sees_it() {
    with_library("collectives::what_does_not_fit_is_refused_before_the_library_sees_it", || {
        let all = alone();
        let memory = Memory::on_device(&device(), 8 * N, Residence::Device).unwrap();
        let less = Part::new(0, 3, Datatype::Double);
        for refused in [
            all.all_reduce(&memory, part(0), less),
            all.all_gather(&memory, part(0), less),
            all.reduce_scatter(&memory, part(0), less),
        ] {
            assert!(refused.unwrap_err().to_string().contains("of 5 elements was given a result of 3"));
        }
        let beyond = all.all_reduce(&memory, part(0), part(1)).unwrap_err();
        assert!(matches!(beyond, NcclError::Outside(_)), "{beyond}");
        let host = Memory::new(8 * N).unwrap();
        let refused = all.all_reduce(&host, part(0), part(0)).unwrap_err().to_string();
        assert!(refused.contains("takes memory of a device alone"), "{refused}");
    });
}

#[test]
fn what_the_library_refuses_is_told_in_its_words() {
    with_library("collectives::what_the_library_refuses_is_told_in_its_words", || {
        let all = alone();
        let memory = Memory::on_device(&device(), 8 * N, Residence::Device).unwrap();
        let refused = all.broadcast(&memory, part(0), part(0), 1).unwrap_err().to_string();
        assert!(
            refused.starts_with("ncclBroadcast of ") && refused.contains("failed with 4 (invalid argument"),
            "{refused}"
        );
        assert!(refused.ends_with(": invalid rank 1 of 1"), "{refused}");
        // A group is ended also where a message in it was refused, so that the next one is none within it.
        let none = std::iter::empty;
        assert!(all.exchange(&memory, std::iter::once((part(0), 1)), none()).is_err());
        all.exchange(&memory, none(), none()).unwrap();
    });
}

#[test]
fn two_ranks_on_one_device_are_refused() {
    with_library("collectives::two_ranks_on_one_device_are_refused", || {
        let library = Nccl::open(BACKEND).unwrap();
        let (device, id) = (device(), library.unique_id().unwrap());
        let join = |rank| Communicator::join(library, &device, (rank, 2), id).err().map(|error| error.to_string());
        let refused = thread::scope(|scope| {
            let other = scope.spawn(|| join(1));
            [join(0), other.join().unwrap()]
        });
        for said in refused {
            let said = said.expect("the device is the same");
            assert!(said.contains("failed with 5 (invalid usage") && said.contains("Duplicate GPU detected"), "{said}");
        }
    });
}
