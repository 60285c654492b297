//! Exercises on Cartesian grids.

use crate::mpi::*;

/// On a grid that wraps in one direction, every rank tells each neighbour who it is and which way it looks.
pub fn grids() {
    let (rank, size) = (rank_in(WORLD), size_of(WORLD));
    let mut extents = [0, 0];
    ok!(MPI_Dims_create(size, 2, extents.as_mut_ptr()));
    assert_eq!(extents[0] * extents[1], size);
    let mut grid = 0;
    ok!(MPI_Cart_create(WORLD, 2, extents.as_ptr(), [0, 1].as_ptr(), 0, &mut grid));
    let mut neighbours = [0; 4];
    for direction in 0..2 {
        let [mut down, mut up] = [0, 0];
        ok!(MPI_Cart_shift(grid, direction, 1, &mut down, &mut up));
        neighbours[direction as usize * 2..][..2].copy_from_slice(&[down, up]);
    }
    let out: Vec<i32> = (0..4).map(|slot| rank * 10 + slot).collect();
    let mut here = vec![-1; 4];
    ok!(MPI_Neighbor_alltoall(sent(&out), 1, INT, got(&mut here), 1, INT, grid));
    for slot in 0..4 {
        let expected = if neighbours[slot] < 0 { -1 } else { neighbours[slot] * 10 + (slot as i32 ^ 1) };
        assert_eq!(here[slot], expected, "slot {slot}: what came from there was sent towards here");
    }
    let mut all = vec![-1; 4];
    ok!(MPI_Neighbor_allgather(sent(&[rank]), 1, INT, got(&mut all), 1, INT, grid));
    let expected: Vec<i32> = neighbours.iter().map(|from| if *from < 0 { -1 } else { *from }).collect();
    assert_eq!(all, expected, "every neighbour tells who it is");
    ok!(MPI_Comm_free(&mut grid));
}
