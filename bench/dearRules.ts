/** Rules of which each is mostly one part of the language that is no operation. */

const numbers = (count: number): string => `[${Array.from({ length: count }, (_, at) => at)}]`
const repeated = (text: string, count: number, by: string): string =>
  Array.from({ length: count }, () => text).join(by)

/** One rule for every such part. */
export const partRules: readonly string[] = [
  repeated('has(signal.ext["0"])', 100, ' && '),
  `3 in [${repeated('(has(signal.ext["0"]) ? 1 : 2)', 60, ', ')}]`,
  `${numbers(100)}.all(x, x >= 0 && has(signal.ext["0"]))`,
  `${numbers(100)}.all(x, [x, x, x, x, x, x, x, x].all(y, y >= 0 && has(signal.ext["0"])))`,
  `${numbers(100)}.all(x, size([x, x]) > 0 && has(signal.ext["0"]))`,
  `${numbers(100)}.all(x, size([string(x) + signal.ext["0"]]) > 0)`,
  `${numbers(30)}.all(x, [x].all(a, [a].all(b, [b].all(c, [c].all(d, d >= 0 && has(signal.ext["0"]))))))`,
]
