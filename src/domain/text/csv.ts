/** Parses and formats one CSV record (RFC 4180). */

// spreadsheets skip a tab or line break in front, and read full-width signs as the others
const formula = /^(?:'+[=+\-@＝＋－＠\t\r\n]|[=@＝＋－＠\t\r\n]|[+-](?!\d+(?:\.\d+)?$))/
const escapedFormula = /^'+[=+\-@＝＋－＠\t\r\n]/
const fieldForm = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y

/** The fields, without the apostrophe of `formatCsvLine` before formulas; undefined when the quotes are wrong. */
export function parseCsvLine(line: string): readonly string[] | undefined {
  const fields: string[] = []
  fieldForm.lastIndex = 0
  for (;;) {
    const found = fieldForm.exec(line)
    if (!found) return undefined
    const [, quoted, plain = '', end] = found
    const text = quoted?.replaceAll('""', '"') ?? plain
    fields.push(escapedFormula.test(text) ? text.slice(1) : text)
    if (end === '') return fields
  }
}

/**
 * The fields as a CSV record, quoted where needed; what a spreadsheet would run as a formula gets an apostrophe in
 * front. A number with a sign, such as that of a phone, is none.
 */
export function formatCsvLine(fields: readonly string[]): string {
  return formatPlainCsvLine(fields.map(guardFormula))
}

/** The text with an apostrophe in front of what a spreadsheet would run as a formula. */
export function guardFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text
}

/** The fields as a CSV record, quoted where needed, their text as it is. */
export function formatPlainCsvLine(fields: readonly string[]): string {
  return fields
    .map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',')
}
