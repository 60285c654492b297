//! Runs as one HTML file that needs no network.

mod budget;
mod chapter;
mod comparison;
mod detail;
mod layout;
mod page;
mod table;

use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use paw_data::run::Run;
use serde::Serialize;

use crate::model::Page;
use crate::wrap::printable;

const TEMPLATES: &[(&str, &str)] = &[
    ("frame.html", include_str!("../templates/frame.html")),
    ("report.html", include_str!("../templates/report.html")),
    ("cluster.html", include_str!("../templates/cluster.html")),
    ("run.html", include_str!("../templates/run.html")),
    ("comparison.html", include_str!("../templates/comparison.html")),
    ("ranks.html", include_str!("../templates/ranks.html")),
    ("chapter.html", include_str!("../templates/chapter.html")),
    ("table.html", include_str!("../templates/table.html")),
    ("words.html", include_str!("../templates/words.html")),
    ("style.css", include_str!("../templates/style.css")),
    ("plot.css", include_str!("../templates/plot.css")),
    ("script.js", include_str!("../templates/script.js")),
];

/// One self-contained HTML document that shows `runs`: what each reaches first, then everything it rests on; with several
/// runs, each against the first.
pub fn html(runs: &[Run]) -> String {
    written("report.html", page::page_view(runs))
}

/// One page as a self-contained HTML document.
pub fn html_of(page: Page<'_>) -> String {
    written("report.html", page::one_page_view(page))
}

/// `view` in the words of a template, as a self-contained HTML document.
pub fn written(template: &str, view: impl Serialize) -> String {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.expect("the delimiters are the default ones"));
    add_filters(&mut environment);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source).expect("the embedded templates are checked by the tests of this crate");
    }
    let template = environment.get_template(template).expect("the table of templates has it");
    let page = template.render(Serde(view)).expect("the templates know every field of the page");
    page.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// The filters that the templates use, as Jinja has them: all of `minijinja`'s would be as much code again.
fn add_filters(environment: &mut Environment<'_>) {
    environment.add_filter("length", |list: Value| list.len());
    environment.add_filter("lower", |text: &str| text.to_lowercase());
    environment.add_filter("split", |text: &str, at: &str| text.split(at).map(str::to_owned).collect::<Vec<_>>());
    environment.add_filter("replace", |text: &str, old: &str, new: &str| text.replace(old, new));
    environment.add_filter("join", |texts: Vec<String>, between: &str| texts.join(between));
}
