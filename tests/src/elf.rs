//! The DT_NEEDED entries of a shared object of this machine, read from its dynamic section, and
//! whether it has symbols (System V gABI, chapters 4 and 5).

const DT_NEEDED: usize = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_DYNAMIC: u32 = 6;

/// Bytes of an address.
const WORD: usize = size_of::<usize>();

/// Identification: ELFCLASS32 or ELFCLASS64, ELFDATA2LSB or ELFDATA2MSB.
const OWN: [u8; 6] =
    [0x7f, b'E', b'L', b'F', (WORD / 4) as u8, if cfg!(target_endian = "little") { 1 } else { 2 }];

/// The libraries that an ELF file with this machine's word size and byte order requires.
pub fn needed_libraries(file: &[u8]) -> Result<Vec<String>, String> {
    let sections = section_headers(file)?;
    let dynamic = sections.iter().find(|section| section.kind == SHT_DYNAMIC).ok_or("no dynamic section")?;
    let strings = sections.get(dynamic.link).ok_or("the dynamic section's string table is missing")?;
    let names =
        file.get(strings.offset..strings.offset + strings.size).ok_or("the string table is cut off")?;
    let entries =
        file.get(dynamic.offset..dynamic.offset + dynamic.size).ok_or("the dynamic section is cut off")?;
    entries
        .chunks_exact(2 * WORD)
        .filter(|entry| usize_at(entry, 0) == Ok(DT_NEEDED))
        .map(|entry| string_at(names, usize_at(entry, WORD)?))
        .collect()
}

/// Whether the file has no symbols except those for the dynamic linker.
pub fn is_stripped(file: &[u8]) -> Result<bool, String> {
    Ok(section_headers(file)?.iter().all(|section| section.kind != SHT_SYMTAB))
}

struct Section {
    kind: u32,
    offset: usize,
    size: usize,
    link: usize,
}

fn section_headers(file: &[u8]) -> Result<Vec<Section>, String> {
    if file.get(..6) != Some(OWN.as_slice()) {
        return Err("not an ELF file of this machine".to_owned());
    }
    // After 24 bytes of the file's header: e_entry, e_phoff, e_shoff; then e_flags and three 16-bit
    // numbers, e_shentsize, e_shnum.
    let after = 24 + 3 * WORD;
    let (start, size) = (usize_at(file, after - WORD)?, u16_at(file, after + 10)?);
    let count = u16_at(file, after + 12)?;
    (0..count)
        .map(|index| {
            let at = start + usize::from(index) * usize::from(size);
            Ok(Section {
                kind: u32_at(file, at + 4)?,
                // After sh_name and sh_type: sh_flags, sh_addr, sh_offset, sh_size, sh_link.
                offset: usize_at(file, at + 8 + 2 * WORD)?,
                size: usize_at(file, at + 8 + 3 * WORD)?,
                link: u32_at(file, at + 8 + 4 * WORD)? as usize,
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
    field(bytes, at).map(u16::from_ne_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, String> {
    field(bytes, at).map(u32::from_ne_bytes)
}

fn usize_at(bytes: &[u8], at: usize) -> Result<usize, String> {
    field(bytes, at).map(usize::from_ne_bytes)
}
