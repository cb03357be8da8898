//! The DT_NEEDED entries of a shared object, read from its dynamic section (System V gABI, chapter
//! 5).

const DT_NEEDED: u64 = 1;
const SHT_DYNAMIC: u32 = 6;

/// The libraries that a 64-bit little-endian ELF file requires.
pub fn needed_libraries(file: &[u8]) -> Result<Vec<String>, String> {
    if file.get(..6) != Some(b"\x7fELF\x02\x01".as_slice()) {
        return Err("not a 64-bit little-endian ELF file".to_owned());
    }
    let sections = section_headers(file)?;
    let dynamic = sections.iter().find(|section| section.kind == SHT_DYNAMIC).ok_or("no dynamic section")?;
    let strings = sections.get(dynamic.link).ok_or("the dynamic section's string table is missing")?;
    let names =
        file.get(strings.offset..strings.offset + strings.size).ok_or("the string table is cut off")?;
    let entries =
        file.get(dynamic.offset..dynamic.offset + dynamic.size).ok_or("the dynamic section is cut off")?;
    entries
        .chunks_exact(16)
        .filter(|entry| u64_at(entry, 0) == Ok(DT_NEEDED))
        .map(|entry| string_at(names, usize_at(entry, 8)?))
        .collect()
}

struct Section {
    kind: u32,
    offset: usize,
    size: usize,
    link: usize,
}

fn section_headers(file: &[u8]) -> Result<Vec<Section>, String> {
    let (start, size, count) = (usize_at(file, 0x28)?, u16_at(file, 0x3a)?, u16_at(file, 0x3c)?);
    (0..count)
        .map(|index| {
            let at = start + usize::from(index) * usize::from(size);
            Ok(Section {
                kind: u32_at(file, at + 4)?,
                offset: usize_at(file, at + 0x18)?,
                size: usize_at(file, at + 0x20)?,
                link: u32_at(file, at + 0x28)? as usize,
            })
        })
        .collect()
}

fn string_at(names: &[u8], start: usize) -> Result<String, String> {
    let rest = names.get(start..).ok_or("a name lies outside the string table")?;
    let end = rest.iter().position(|&byte| byte == 0).ok_or("a name has no end")?;
    Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], String> {
    bytes
        .get(at..at + N)
        .map(|field| field.try_into().expect("N bytes"))
        .ok_or_else(|| format!("cut off at byte {at}"))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, String> {
    field(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, String> {
    field(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, String> {
    field(bytes, at).map(u64::from_le_bytes)
}

fn usize_at(bytes: &[u8], at: usize) -> Result<usize, String> {
    Ok(u64_at(bytes, at)? as usize)
}
