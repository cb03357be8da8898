//! Draws the screen.

use std::time::Duration;

use outboard_documents::watch::Watch;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style, Stylize as _};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Paragraph, Row, Table as TableWidget, Wrap};

use super::tables::{self, Table};

/// The width in columns from which the tables fit.
const TABLES: u16 = 80;

/// Draws a sample, or that the first one is awaited.
pub fn draw(frame: &mut Frame, watch: Option<&Watch>, interval: Duration) {
    let title = format!("outboard watch, every {} s; q quits", interval.as_secs());
    let Some(watch) = watch else {
        let text = Text::from(vec![Line::from(title).bold(), Line::from("taking the first sample ...")]);
        frame.render_widget(Paragraph::new(text), frame.area());
        return;
    };
    if frame.area().width < TABLES {
        let width = usize::from(frame.area().width);
        let text = format!("{title}\n{}", tables::text_within(watch, Some(width)));
        return frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }), frame.area());
    }
    let all = [tables::drivers(watch), tables::devices(watch), tables::processes(watch)];
    let summary = tables::summary(watch);
    let height = |table: &Table| u16::try_from(table.rows.len().max(1)).unwrap_or(u16::MAX).saturating_add(2);
    let [title_area, drivers, devices, processes, below] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(height(&all[0]).min(9)),
        Constraint::Length(height(&all[1]).min(6)),
        Constraint::Min(4),
        Constraint::Length(u16::try_from(summary.len()).unwrap_or(0)),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(Line::from(title).bold()), title_area);
    for (table, area) in all.iter().zip([drivers, devices, processes]) {
        draw_table(frame, table, area);
    }
    let lines: Vec<Line> = summary.into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(lines), below);
}

fn draw_table(frame: &mut Frame, table: &Table, area: Rect) {
    if table.rows.is_empty() {
        let text = format!("{}: {}", table.headings[0], table.empty);
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    // Rows below the end of the area are counted in its last line.
    let room = usize::from(area.height.saturating_sub(2));
    let hidden = table.rows.len().saturating_sub(room);
    let shown = if hidden > 0 { room.saturating_sub(1) } else { table.rows.len() };
    let cell = |(column, text): (usize, &String)| {
        let text = Text::from(text.clone());
        Cell::from(if column == 0 { text } else { text.right_aligned() })
    };
    let mut rows: Vec<Row> =
        table.rows[..shown].iter().map(|row| Row::new(row.iter().enumerate().map(cell))).collect();
    if hidden > 0 {
        rows.push(Row::new([format!("and {} more: outboard watch --once", table.rows.len() - shown)]));
    }
    let headings: Vec<String> = table.headings.iter().map(|heading| (*heading).to_owned()).collect();
    let header =
        Row::new(headings.iter().enumerate().map(cell)).style(Style::new().add_modifier(Modifier::BOLD));
    let widths = (0..table.headings.len()).map(|column| {
        let cells = table.rows[..shown].iter().map(|row| row[column].chars().count());
        let widest = cells.chain([table.headings[column].len()]).max().unwrap_or(0);
        let width = u16::try_from(widest).unwrap_or(u16::MAX);
        if column == 0 { Constraint::Min(10) } else { Constraint::Length(width) }
    });
    frame.render_widget(TableWidget::new(rows, widths).header(header).column_spacing(2), area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::watch::{
        DeviceRates, DriverRates, GroupWork, KernelCpu, ModuleState, ProcessGroup,
    };
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn watch(drivers: usize) -> Watch {
        let driver = |number: usize| DriverRates {
            name: format!("driver-{number}-cbc-aes"),
            requests: Some(12_345.0),
            bytes: Some(81_920_000.0),
            in_flight: Some(16),
            errors: None,
            ..DriverRates::default()
        };
        let work = GroupWork {
            direct: 50_000_000.0,
            ahead: 1024.0,
            software: 90.0,
            requests: 4000.0,
            hardware_percent: Some(99.6),
            key_stream: 1 << 20,
            errors: 0,
        };
        Watch {
            seconds: 1.0,
            module: Some(ModuleState { sessions: Some(3), requests: Some(17), arena_bytes: Some(4 << 20) }),
            drivers: (0..drivers).map(driver).collect(),
            devices: Some(vec![DeviceRates {
                name: "virtio1".to_owned(),
                driver: "virtio_crypto".to_owned(),
                chip: None,
                interrupts: 8000.4,
            }]),
            kernel_cpu: Some(KernelCpu { interrupts: 0.5, softirqs: 12.25, threads: 3.0 }),
            processes: vec![
                ProcessGroup { name: "nginx.service".to_owned(), pids: vec![1, 2], work: Some(work) },
                ProcessGroup { name: "openssl".to_owned(), pids: vec![3], work: None },
            ],
            unreadable_processes: 0,
        }
    }

    fn screen(watch: Option<&Watch>, columns: u16, lines: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, lines)).expect("a terminal");
        terminal.draw(|frame| draw(frame, watch, Duration::from_secs(1))).expect("a frame");
        let buffer = terminal.backend().buffer();
        let row = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..lines).map(row).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn all_fits_on_80_by_24() {
        insta::assert_snapshot!("screen", screen(Some(&watch(2)), 80, 24));
        let text = screen(Some(&watch(12)), 80, 24);
        assert!(
            text.contains("and 6 more: outboard watch --once") && text.contains("nginx.service"),
            "{text}"
        );
    }

    #[test]
    fn on_a_narrow_screen_nothing_is_cut() {
        let text = screen(Some(&watch(2)), 40, 60);
        for words in ["driver-0-cbc-aes", "requests/s: 12345", "software/s: 90", "hw: 99.6 %", "4.0 MiB"] {
            assert!(text.replace('\n', " ").contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn any_size_and_no_sample_can_be_drawn() {
        for (columns, lines) in [(1, 1), (20, 3), (80, 8), (300, 100)] {
            screen(Some(&watch(3)), columns, lines);
            screen(None, columns, lines);
        }
        let nothing = screen(Some(&Watch::default()), 80, 24);
        assert!(nothing.contains("the module outboard is not loaded"), "{nothing}");
        insta::assert_snapshot!("once", tables::text(&watch(1)));
    }
}
