/** Parses and formats one CSV record (RFC 4180). */

/** The fields, without the apostrophe that `formatCsvLine` puts before formulas; undefined when the quotes are wrong. */
export function parseCsvLine(line: string): readonly string[] | undefined {
  const fields: string[] = []
  for (let at = 0; ; ) {
    const field = line[at] === '"' ? readQuotedField(line, at) : readPlainField(line, at)
    if (!field || (field.end < line.length && line[field.end] !== ',')) return undefined
    fields.push(escaped.test(field.text) ? field.text.slice(1) : field.text)
    if (field.end >= line.length) return fields
    at = field.end + 1
  }
}

const formula = /^'*[=+\-@]/
const escaped = /^'+[=+\-@]/

interface Field {
  readonly text: string
  /** The offset of the comma after it, or of the end of the line. */
  readonly end: number
}

function readPlainField(line: string, start: number): Field | undefined {
  const comma = line.indexOf(',', start)
  const end = comma < 0 ? line.length : comma
  const text = line.slice(start, end)
  return text.includes('"') ? undefined : { text, end }
}

function readQuotedField(line: string, start: number): Field | undefined {
  let text = ''
  for (let at = start + 1; ; ) {
    const quote = line.indexOf('"', at)
    if (quote < 0) return undefined
    text += line.slice(at, quote)
    if (line[quote + 1] !== '"') return { text, end: quote + 1 }
    text += '"'
    at = quote + 2
  }
}

/** The fields as a CSV record, quoted where needed; what a spreadsheet would read as a formula gets an apostrophe in front. */
export function formatCsvLine(fields: readonly string[]): string {
  return fields
    .map((field) => (formula.test(field) ? `'${field}` : field))
    .map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',')
}
