/** Declares `vigil evaluations difference`: why two recorded evaluations differ. */

import type {
  Comparison,
  DifferenceView,
} from '../../queries/evaluation/difference/compareSides.ts'
import type { EvaluationDifference } from '../../queries/evaluation/difference/evaluationDifference.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import { type Invocation, segment } from '../connecting/invocation.ts'
import { colourOf, type Paint, printable } from '../terminal/screen.ts'
import { evaluationId, evaluationsPath } from './recordedEvaluations.ts'

export const differenceCommand: CommandRow = {
  usage: 'difference',
  arguments: { '<a>': 'an evaluation: its id, or last', '<b>': 'another one' },
  summary:
    'Print why two evaluations differ: what turns one verdict into the other, then the rest.',
  example: 'vigil evaluations difference evl_01jc0t6fwwfgfsq1md24mhyztj last',
  run: difference,
}

async function difference(
  { client: connect, print, paint }: Invocation,
  _: object,
  ...[a, b]: readonly string[]
): Promise<undefined> {
  const client = await connect()
  const [one, other] = [await evaluationId(client, a), await evaluationId(client, b)]
  const path = `${evaluationsPath}/${segment(one)}/difference`
  const { body } = await client<EvaluationDifference>('GET', path, { query: { with: other } })
  print(body, () => [
    ...[body.a, body.b].map(
      ({ verdict, id, evaluated_at }) =>
        `${paint(colourOf(verdict), printable(verdict))}  ${printable(`${id}  ${evaluated_at}`)}`,
    ),
    ...comparisonLines(body, paint),
  ])
}

/** The causes, each with the differences that it takes, and the other differences. */
export function comparisonLines({ causes, others }: Comparison, paint: Paint): readonly string[] {
  const isNothing = causes.length === 0 && others.length === 0
  return [
    ...causes.flatMap(({ differences }) => [
      paint('bold', differences.length === 1 ? 'Turns the verdict:' : 'Turn the verdict together:'),
      ...differences.map((one) => differenceLine(one, paint)),
    ]),
    ...(others.length > 0 ? [paint('bold', causes.length > 0 ? 'Also:' : 'Differs:')] : []),
    ...others.map((one) => differenceLine(one, paint)),
    ...(isNothing ? ['Nothing differs.'] : []),
  ]
}

function differenceLine(difference: DifferenceView, paint: Paint): string {
  const { kind, recipe_id, recipe_name, rule_id, rule_name, name, a, b } = difference
  const of = [name, called(recipe_id, recipe_name), called(rule_id, rule_name)]
  const words = [kind.replace('_', ' '), ...of.filter((word) => word !== undefined)]
  const change = `${paint('red', textOf(a))} -> ${paint('green', textOf(b))}`
  return `  ${printable(words.join('  '))}  ${a === undefined && b === undefined ? 'another' : change}`
}

function called(id: string | undefined, name: string | undefined): string | undefined {
  return name === undefined ? id : JSON.stringify(name)
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : printable(JSON.stringify(value))
}
