//! Data from tables in Markdown.

/// Yields the cells of the rows of a Markdown table, below its header.
pub fn cells<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    table.lines().skip(2).map(|line| {
        let cells = line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>().try_into();
        cells.unwrap_or_else(|cells| unreachable!("{cells:?} are {N} cells"))
    })
}
