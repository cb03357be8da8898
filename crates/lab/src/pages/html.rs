//! Formats sections as one HTML page without network access or scripts. The page is well-formed XML
//! too, which is easy to check.

use std::fmt::Write;

use outboard_console::is_unprintable;

use crate::pages::page::{Answer, Block, Cell, Column, Section, Table, code_spans};
use crate::pages::svg;

const STYLE: &str = include_str!("style.css");

const SHORT: usize = 24;

pub fn page(title: &str, lead: &[String], answers: &[Answer], sections: &[Section]) -> String {
    let title = escape(title);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n"
    );
    for text in lead {
        paragraph(&mut html, None, text);
    }
    box_of(&mut html, answers);
    html += "</header>\n<nav aria-label=\"Contents\">\n<ul>\n";
    for section in sections {
        put(&mut html, format_args!("<li><a href=\"#{}\">{}</a></li>\n", section.id, escape(section.title)));
    }
    html += "</ul>\n</nav>\n<main>\n";
    for section in sections {
        put(
            &mut html,
            format_args!(
                "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n",
                section.id,
                escape(section.title)
            ),
        );
        for (number, block) in section.blocks.iter().enumerate() {
            one(&mut html, block, &format!("{}-{number}", section.id));
        }
        html += "</section>\n";
    }
    html + "</main>\n</body>\n</html>\n"
}

fn one(html: &mut String, block: &Block, id: &str) {
    match block {
        Block::Text(text) => paragraph(html, None, text),
        Block::Note(text) => paragraph(html, Some("note"), text),
        Block::List(items) => {
            *html += "<ul>\n";
            for item in items {
                put(html, format_args!("<li>{}</li>\n", prose(item)));
            }
            *html += "</ul>\n";
        }
        Block::Table(of) => table(html, of),
        Block::Command { says, command } => {
            paragraph(html, None, says);
            put(html, format_args!("<pre><code>{}</code></pre>\n", escape(command)));
        }
        Block::Pictures(pictures) => {
            *html += "<div class=\"plots\">\n";
            for (number, picture) in pictures.iter().enumerate() {
                put(html, format_args!("<figure>\n{}", picture.svg(&format!("{id}-{number}"))));
                put(html, format_args!("<figcaption>{}</figcaption>\n</figure>\n", escape(&picture.caption)));
            }
            *html += "</div>\n";
        }
        Block::Plots(plots) => {
            *html += "<div class=\"plots\">\n";
            for (number, plot) in plots.iter().enumerate() {
                put(html, format_args!("<figure>\n{}", svg::draw(plot, &format!("{id}-{number}"))));
                put(html, format_args!("<figcaption>{}</figcaption>\n", escape(&plot.caption)));
                *html += "<details>\n<summary>The figures</summary>\n";
                table(html, plot.table());
                *html += "</details>\n</figure>\n";
            }
            *html += "</div>\n";
        }
    }
}

fn paragraph(html: &mut String, class: Option<&str>, text: &str) {
    let class = class.map(|class| format!(" class=\"{class}\"")).unwrap_or_default();
    put(html, format_args!("<p{class}>{}</p>\n", prose(text)));
}

/// Formats a sentence; text between backticks becomes code.
fn prose(text: &str) -> String {
    let span = |(text, is_code)| match is_code {
        true => format!("<code>{}</code>", escape(text)),
        false => escape(text),
    };
    code_spans(text).into_iter().map(span).collect()
}

/// Formats the summary box at the top; nothing if there are no answers.
fn box_of(html: &mut String, answers: &[Answer]) {
    if answers.is_empty() {
        return;
    }
    *html += "<ul class=\"answers\" aria-label=\"In short\">\n";
    for one in answers {
        let class = one.answer.tone.class().map(|class| format!(" class=\"{class}\"")).unwrap_or_default();
        put(
            html,
            format_args!(
                "<li{class}><h2>{}</h2><p>{}{}</p><p>{}</p></li>\n",
                escape(one.question),
                one.answer.tone.mark(),
                escape(&one.answer.text),
                prose(&one.because)
            ),
        );
    }
    *html += "</ul>\n";
}

fn table(html: &mut String, table: &Table) {
    // tabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1).
    put(
        html,
        format_args!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n<table>\n<caption>{0}</caption>\n\
             <thead>\n<tr>",
            escape(&table.caption)
        ),
    );
    for column in &table.head {
        let class = if column.is_number { " class=\"number\"" } else { "" };
        put(html, format_args!("<th scope=\"col\"{class}>{}</th>", escape(column.name)));
    }
    *html += "</tr>\n</thead>\n<tbody>\n";
    for row in &table.rows {
        *html += "<tr>";
        for (number, cell) in row.iter().enumerate() {
            html.push_str(&td(cell, number == 0, table.head.get(number)));
        }
        *html += "</tr>\n";
    }
    *html += "</tbody>\n</table>\n</div>\n";
}

fn td(cell: &Cell, is_heading: bool, column: Option<&Column>) -> String {
    let is_number = column.is_some_and(|column| column.is_number);
    // A short heading is not wrapped.
    let is_short = is_heading && cell.text.chars().count() <= SHORT;
    let shape = is_number.then_some("number").into_iter().chain(is_short.then_some("short"));
    let classes: Vec<&str> = shape.chain(cell.tone.class()).collect();
    let class = if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
    let text = format!("{}{}", cell.tone.mark(), escape(&cell.text));
    match is_heading {
        true => format!("<th scope=\"row\"{class}>{text}</th>"),
        // On a narrow screen each cell is on its own line, after the name of its column.
        false => format!(
            "<td{class} data-label=\"{}\">{text}</td>",
            escape(column.map_or("", |column| column.name))
        ),
    }
}

fn put(html: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = html.write_fmt(what);
}

pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            '\n' | '\t' => safe.push(' '),
            c if is_unprintable(c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
