//! A pool calls every worker once, on its processor, passes panics on, and leaves nothing behind.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use paw_native::affinity::allowed;
use paw_native::pool::{PoolError, ThreadPool};

#[test]
fn every_worker_is_called_once_a_run() {
    for threads in 1..=5 {
        let pool = ThreadPool::unpinned(threads).unwrap();
        assert_eq!(pool.threads(), threads);
        for _ in 0..200 {
            let calls: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
            pool.run(|worker| {
                calls[worker].fetch_add(1, Ordering::Relaxed);
            });
            assert!(calls.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        }
    }
}

#[test]
fn more_threads_than_processors_get_through() {
    let cpu = allowed().unwrap()[0];
    let pool = ThreadPool::new(&[cpu; 6]).unwrap();
    let calls = AtomicUsize::new(0);
    for _ in 0..100 {
        pool.run(|_| {
            calls.fetch_add(1, Ordering::Relaxed);
        });
    }
    assert_eq!(calls.into_inner(), 600);
}

#[test]
fn workers_run_where_they_were_put_and_the_caller_goes_back() {
    let before = allowed().unwrap();
    let last = *before.last().unwrap();
    let cpus = [before[0], last];
    let pool = ThreadPool::new(&cpus).unwrap();
    assert_eq!(pool.cpus(), cpus);
    assert_eq!(pool.map(|_| allowed().unwrap()), [[before[0]], [last]]);
    let other = ThreadPool::new(&[last]).unwrap();
    assert_eq!(other.map(|_| allowed().unwrap()), [[last]]);
    assert_eq!(pool.map(|_| allowed().unwrap()), [[before[0]], [last]]);
    drop(other);
    assert_eq!(allowed().unwrap(), [before[0]]);
    drop(pool);
    assert_eq!(allowed().unwrap(), before);
}

#[test]
fn thread_ids_are_those_the_workers_have() {
    let pool = ThreadPool::unpinned(3).unwrap();
    assert_eq!(pool.tids(), pool.map(|_| paw_native::affinity::thread_id()));
}

#[test]
fn a_panic_reaches_the_caller_and_the_pool_goes_on() {
    let pool = ThreadPool::unpinned(3).unwrap();
    for guilty in 0..3 {
        let finished = AtomicUsize::new(0);
        let run = catch_unwind(AssertUnwindSafe(|| {
            pool.run(|worker| {
                assert!(worker != guilty, "worker {worker} fell over");
                finished.fetch_add(1, Ordering::Relaxed);
            });
        }));
        let panic = run.unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().unwrap(), &format!("worker {guilty} fell over"));
        assert_eq!(finished.into_inner(), 2);
    }
    assert_eq!(pool.map(|worker| worker), [0, 1, 2]);
}

#[test]
fn parts_cover_the_data_and_do_not_overlap() {
    let pool = ThreadPool::unpinned(3).unwrap();
    let mut data = vec![0; 1001];
    let seen = Mutex::new(Vec::new());
    pool.run_parts(&mut data, 8, |worker, range, part| {
        assert_eq!(part.len(), range.len());
        part.fill(worker + 1);
        seen.lock().unwrap().push(range);
    });
    assert!(data.is_sorted() && data[0] == 1 && data[1000] == 3);
    assert_eq!(seen.into_inner().unwrap().iter().map(|range| range.len()).sum::<usize>(), 1001);
}

#[test]
fn a_processor_that_is_not_there_is_named() {
    let refused = ThreadPool::new(&[5000]).unwrap_err();
    assert!(matches!(refused, PoolError::Pin { cpu: 5000, .. }));
    assert!(refused.to_string().contains("processor 5000"));
    let first = allowed().unwrap()[0];
    assert!(matches!(ThreadPool::new(&[first, 5000]).unwrap_err(), PoolError::Pin { cpu: 5000, .. }));
    assert!(matches!(ThreadPool::new(&[]).unwrap_err(), PoolError::Empty));
    assert!(matches!(ThreadPool::unpinned(0).unwrap_err(), PoolError::Empty));
}

thread_local! {
    static POOL: ThreadPool = ThreadPool::unpinned(2).unwrap();
}

#[test]
fn a_task_that_runs_its_own_pool_panics_instead_of_waiting_for_itself() {
    POOL.with(|pool| {
        // Worker 0 is this thread; the other has a pool of its own.
        let run = catch_unwind(AssertUnwindSafe(|| {
            pool.run(|worker| {
                POOL.with(|own| {
                    if worker == 0 {
                        own.wake()
                    }
                })
            })
        }));
        let panic = run.unwrap_err();
        let words = panic.downcast_ref::<&str>().unwrap();
        assert!(words.starts_with("a task runs the pool that runs it"), "{words}");
        assert_eq!(pool.map(|worker| worker), [0, 1], "the pool goes on");
    });
}
