/** Reads the text format 0.0.4 of Prometheus, strictly: whatever is not of it throws. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const familyPattern = /^# (?:TYPE|HELP) (\S+) ./
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

/** The names of all metrics of the text, also of those that have no sample now, as one whose labels come and go. */
function readFamilies(text: string): ReadonlySet<string> {
  const families = text.split('\n').map((line) => familyPattern.exec(line)?.[1])
  return new Set(families.filter((family) => family !== undefined))
}

/**
 * Every sample of the text. Throws for a line that is none, and for a sample whose family has no `# TYPE` before it.
 */
export function readSamples(text: string): readonly Sample[] {
  const families = readFamilies(text)
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !familyPattern.test(line))
    .map(readSample)
  for (const { name } of samples) {
    if (!families.has(name) && !families.has(familyOf(name))) throw new Error(`untyped: ${name}`)
  }
  return samples
}

/** The value of the one sample with this name and (at least) these labels; undefined when there is none. */
export function sampleOf(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return readSamples(text).find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value
}

/** The metric that a sample of a histogram or summary belongs to. */
export function familyOf(name: string): string {
  return name.replace(/_(?:bucket|sum|count)$/, '')
}

function readSample(line: string): Sample {
  const [, name, labels = '', value] = samplePattern.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`not a sample: ${line}`)
  return { name, labels: readLabels(labels), value: Number(value.replace('Inf', 'Infinity')) }
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {}
  labelPattern.lastIndex = 0
  while (labelPattern.lastIndex < text.length) {
    const at = labelPattern.lastIndex
    const [, label, value] = labelPattern.exec(text) ?? []
    if (label === undefined || value === undefined) throw new Error(`not labels: ${text} at ${at}`)
    labels[label] = value
  }
  return labels
}
