//! What was found in the code of a build, with one of everything.

use paw_data::code::{
    AccessCount, ArithmeticCount, AssemblyLine, CallCode, Code, FunctionCode, LoopBody, LoopCode, Mix, RecurrenceCode,
    Remark, Role, SourceLine, SourceLines, SourceText,
};

fn instruction(text: &str, file: Option<&str>) -> AssemblyLine {
    AssemblyLine { address: 0x1139, text: text.into(), line: Some(8), file: file.map(str::to_owned) }
}

fn body() -> LoopBody {
    LoopBody {
        paths: Some(6561),
        mix: Mix { arithmetic: 2, comparison: 1, moves: 1, integer: 2, branch: 1, call: 1, ..Mix::default() },
        arithmetic: vec![ArithmeticCount {
            operation: "fma".into(),
            element: "f64".into(),
            bits: 512,
            lanes: 8,
            count: 2,
        }],
        flop: 32,
        load_bytes: 128,
        store_bytes: 64,
        stack_bytes: 8,
        vector_bytes: Some(64),
        masked: 1,
        packed: Some(0.5),
        elements: Some(16),
        unroll: Some(2),
        role: Some(Role::Main),
        accesses: vec![AccessCount {
            direction: "load".into(),
            stride: "n".into(),
            stride_bytes: Some(-240),
            bytes: 64,
            count: 2,
            stack: true,
        }],
        recurrences: vec![RecurrenceCode {
            kind: "float".into(),
            through_memory: true,
            instructions: vec![instruction("addsd -8(%rsp),%xmm0", None)],
        }],
        assembly: vec![instruction("callq exp", Some("/k/inlined.h"))],
    }
}

/// A function with an outer loop and an inner one.
pub fn sample_code() -> Code {
    let lines = |first, last| Some(SourceLines { file: "/k/column.c".into(), first, last });
    let call = CallCode {
        address: 0x1140,
        symbol: "_ZGVeN8v_exp".into(),
        words: "the vector exponential of libmvec, 8 lanes".into(),
        lanes: Some(8),
        line: Some(8),
        within: Some(1),
    };
    let outer =
        LoopCode { depth: 1, start: 0x1130, end: 0x1150, source: lines(6, 9), instructions: 12, ..LoopCode::default() };
    let inner = LoopCode {
        id: 1,
        parent: Some(0),
        depth: 2,
        start: 0x1138,
        end: 0x1148,
        source: lines(7, 8),
        instructions: 8,
        body: Some(body()),
        calls: vec![call.clone()],
    };
    let function = FunctionCode {
        name: "column".into(),
        symbol: "column".into(),
        start: 0x1120,
        end: 0x1160,
        source: lines(5, 5),
        instructions: 20,
        loops: vec![outer, inner],
        calls: vec![call],
        unknown: vec!["an indirect jump".into()],
        remarks: vec![Remark { line: 7, text: "loop vectorized using 64 byte vectors".into(), done: true }],
    };
    let text = |line, text: &str| SourceLine { line, text: text.into() };
    Code {
        build: "gcc -O3 [plain]".into(),
        file: "column.so".into(),
        architecture: "x86-64".into(),
        producers: vec!["GNU C17 12.2.0 -O3".into()],
        functions: vec![function],
        sources: vec![SourceText {
            file: "/k/column.c".into(),
            lines: vec![text(7, "for (i = 0; i < n; i++)"), text(8, "    sum += exp(a[i]);")],
        }],
        unknown: vec!["something".into()],
    }
}
