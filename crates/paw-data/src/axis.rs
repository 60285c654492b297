//! Names of axes: a mistyped one does not compile. Programs and kernels bring axes of their own.

/// What a device does with a peer's memory.
pub const ACCESS: &str = "access";
/// Whether a window of messages ends with an acknowledgement.
pub const ACK: &str = "ack";
/// Whether both sides of a transfer are aligned.
pub const ALIGN: &str = "align";
/// Factor of a product.
pub const ALPHA: &str = "alpha";
/// Factor of the old C or y, to which a product is added.
pub const BETA: &str = "beta";
/// Who moves the bytes of a copy, or what makes memory move.
pub const BY: &str = "by";
/// The memory that messages lie in.
pub const BUFFER: &str = "buffer";
/// Whether the messages of a window share a buffer.
pub const BUFFERS: &str = "buffers";
/// Value of [`BUFFERS`]: all of them one, as PAW has it.
pub const ONE: &str = "one";
/// Value of [`DIRECTION`]: from the first half of the ranks to the second.
pub const FORWARD: &str = "forward";
/// Bytes of an array or a working set.
pub const BYTES: &str = "bytes";
/// Whether a file's pages lie in the page cache when it is read.
pub const CACHE: &str = "cache";
/// Whether calls are issued one by one or back to back.
pub const CADENCE: &str = "cadence";
/// Whether ranks write or read a file each by itself, or all together.
pub const CALLS: &str = "calls";
/// How ranks are cut into two halves.
pub const CUT: &str = "cut";
/// Clock that is read.
pub const TIMER: &str = "timer";
/// Pause between accesses.
pub const DELAY: &str = "delay";
/// Value of [`CADENCE`]: calls one by one.
pub const ISOLATED: &str = "isolated";
/// Value of [`CADENCE`]: calls back to back.
pub const STREAMING: &str = "streaming";
/// Operation of a dependent chain.
pub const CHAIN: &str = "chain";
/// Instances of a program that run at once.
pub const COPIES: &str = "copies";
/// The kind of numbers in the operands.
pub const DATA: &str = "data";
/// How the elements of a message lie in memory, by the datatype that describes them.
pub const DATATYPE: &str = "datatype";
/// Value of [`DATATYPE`]: one after the other.
pub const CONTIGUOUS: &str = "contiguous";
/// How memory that other ranks reach came into its window.
pub const FLAVOR: &str = "flavor";
/// Value of [`FLAVOR`]: memory of paw's, exposed as it is.
pub const CREATE: &str = "create";
/// Devices that work together.
pub const DEVICES: &str = "devices";
/// The direction of a transfer.
pub const DIRECTION: &str = "direction";
/// Whether what is written must have reached the storage.
pub const FLUSH: &str = "flush";
/// How freely a library may compute.
pub const MATH: &str = "math";
/// Blocks of threads that a kernel is started with.
pub const BLOCKS: &str = "blocks";
/// Operations per byte.
pub const INTENSITY: &str = "intensity";
/// Seconds that something lasts.
pub const SECONDS: &str = "seconds";
/// Type of numbers.
pub const TYPE: &str = "type";
/// Kind of host memory.
pub const HOST: &str = "host";
/// Instruction set.
pub const ISA: &str = "isa";
/// Products of the same operands.
pub const ITERATIONS: &str = "iterations";
/// Inner dimension of a product.
pub const K: &str = "k";
/// Function that is offloaded.
pub const KERNEL: &str = "kernel";
/// How long memory of a device lives.
pub const LIFE: &str = "life";
/// Whether a device works without pause, or what else passes a network.
pub const LOAD: &str = "load";
/// Rows of a product.
pub const M: &str = "m";
/// Mix of arithmetic instructions, or of reads and writes.
pub const MIX: &str = "mix";
/// Order of matrices, or elements of a message.
pub const N: &str = "n";
/// Memory nodes: that of the processors and that of the memory.
pub const NODES: &str = "nodes";
/// Whether operands are in cache.
pub const OPERANDS: &str = "operands";
/// Elements by which a leading dimension exceeds its rows.
pub const PAD: &str = "pad";
/// Size of pages.
pub const PAGES: &str = "pages";
/// How ranks are paired, or which processors are.
pub const PAIRS: &str = "pairs";
/// Equal parts of a message that become ready one after the other.
pub const PARTITIONS: &str = "partitions";
/// How data are gone through.
pub const PATTERN: &str = "pattern";
/// Whether a collective's result has a place of its own.
pub const PLACE: &str = "place";
/// Value of [`PLACE`]: the result has memory of its own.
pub const SEPARATE: &str = "separate";
/// Threads of a rank that send.
pub const POOL: &str = "pool";
/// Ranks that work together.
pub const RANKS: &str = "ranks";
/// The rank that sends to all or collects from all.
pub const ROOT: &str = "root";
/// Value of [`ROOT`]: the same rank in every call.
pub const FIXED: &str = "fixed";
/// Round of a tournament, in which every rank meets another.
pub const ROUND: &str = "round";
/// Ranks that call together: of a node, or all.
pub const SCOPE: &str = "scope";
/// Shape of a product: which of its sides are long.
pub const SHAPE: &str = "shape";
/// Kind of stores.
pub const STORE: &str = "store";
/// Streams that a thread reads side by side.
pub const STREAMS: &str = "streams";
/// Calls of MPI_Test while the processor computes.
pub const TESTS: &str = "tests";
/// Threads that work together.
pub const THREADS: &str = "threads";
/// How many messages an answer follows, and what lies between them.
pub const TRAIN: &str = "train";
/// Transposition of A.
pub const TRANSA: &str = "transa";
/// Transposition of B.
pub const TRANSB: &str = "transb";
/// How often operands are copied.
pub const TRANSFERS: &str = "transfers";
/// How two threads take turns.
pub const TURN: &str = "turn";
/// Messages in flight.
pub const WINDOW: &str = "window";
