//! What a line of `run.jsonl` may hold, as a JSON Schema.

/// The JSON Schema (2020-12) of one line of `run.jsonl`: a file that a test makes anew from the types that are written, and compares.
pub const JSON_SCHEMA: &str = include_str!("../../schema/run.schema.json");

#[cfg(test)]
mod tests {
    use expect_test::expect_file;
    use schemars::generate::SchemaSettings;
    use schemars::transform::{self, Transform};
    use schemars::{JsonSchema, Schema, SchemaGenerator};
    use serde_json::{Value, json};

    use crate::cell::Cell;
    use crate::code::Code;
    use crate::counters::Counters;
    use crate::executed::Executed;
    use crate::explanation::Explanation;
    use crate::outcome::Outcome;
    use crate::profile::Profile;
    use crate::run::{End, Header, Instrument};
    use crate::store::jsonl::{ImportedLine, LineKind, SamplesLine, kinds};
    use crate::team::Team;

    /// What the schema promises, for whoever finds it alone.
    const DESCRIPTION: &str = "Each line of run.jsonl is one object that this schema describes; FORMAT.md tells what its keys mean. A key that is required is in every line that this \
    version writes; older versions may have left it out. Unknown keys and unknown kinds of lines are valid: a reader passes over them. null in the place of a number is NaN or infinity.";

    fn schema() -> Value {
        let mut generator =
            SchemaSettings::draft2020_12().for_serialize().with_transform(NumberOrNull).into_generator();
        let mut names = Vec::new();
        let mut rules = Vec::new();
        for (name, kind) in kinds() {
            let Some(body) = body(kind, &mut generator) else { continue };
            rules.push(json!({"if": {"properties": {"line": {"const": name}}}, "then": body}));
            names.push(name);
        }
        let definitions = generator.take_definitions(true);
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": crate::run::SCHEMA,
            "description": DESCRIPTION,
            "type": "object",
            "required": ["line"],
            "properties": {"line": {"type": "string", "description": "What the object is", "examples": names}},
            "allOf": rules,
            "$defs": definitions,
        })
    }

    /// The schema of the lines of one kind; `None` of those that only later versions know.
    fn body(kind: LineKind, generator: &mut SchemaGenerator) -> Option<Schema> {
        fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Option<Schema> {
            Some(generator.subschema_for::<T>())
        }
        match kind {
            LineKind::Run => of::<Header>(generator),
            LineKind::Instrument => of::<Instrument>(generator),
            LineKind::Team => of::<Team>(generator),
            LineKind::Cell => of::<Cell>(generator),
            LineKind::Samples => of::<SamplesLine<'_>>(generator),
            LineKind::Imported => of::<ImportedLine>(generator),
            LineKind::Profile => of::<Profile>(generator),
            LineKind::Outcome => of::<Outcome>(generator),
            LineKind::Explanation => of::<Explanation>(generator),
            LineKind::Counters => of::<Counters>(generator),
            LineKind::Executed => of::<Executed>(generator),
            LineKind::Code => of::<Code>(generator),
            LineKind::End => of::<End>(generator),
            LineKind::Other => None,
        }
    }

    /// Lets every real number be `null`: JSON has no NaN.
    #[derive(Clone)]
    struct NumberOrNull;

    impl Transform for NumberOrNull {
        fn transform(&mut self, schema: &mut Schema) {
            transform::transform_subschemas(self, schema);
            if let Some(kind) = schema.pointer_mut("/type").filter(|kind| *kind == "number") {
                *kind = json!(["number", "null"]);
            }
        }
    }

    /// `UPDATE_EXPECT=1 cargo test -p paw-data schema` writes the file.
    #[test]
    fn the_file_is_that_of_the_types() {
        expect_file!["../../schema/run.schema.json"].assert_eq(&format!("{:#}\n", schema()));
    }
}
