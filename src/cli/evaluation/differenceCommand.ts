/** Declares `vigil evaluations difference`: why two recorded evaluations differ. */

import type {
  DifferenceView,
  EvaluationComparison,
  EvaluationDifference,
} from '../../queries/evaluation/difference/evaluationDifference.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import { changeText, chooseColour, escapeControls, type Paint } from '../terminal/screen.ts'
import { evaluationId, evaluationsPath } from './recordedEvaluations.ts'

export const differenceCommand: CommandDefinition = {
  arguments: {
    '<a>': { description: 'an evaluation: its id, or last', resolveId: evaluationId },
    '<b>': { description: 'another one', resolveId: evaluationId },
  },
  summary:
    'Print why two evaluations differ: what turns one verdict into the other, then the rest.',
  request: `GET ${evaluationsPath}/<a>/difference`,
  query: { with: '<b>' },
  lines: ({ a, b, ...comparison }: EvaluationDifference, { paint }) => [
    ...[a, b].map(
      ({ verdict, id, evaluated_at }) =>
        `${paint(chooseColour(verdict), verdict)}  ${escapeControls(`${id}  ${evaluated_at}`)}`,
    ),
    ...comparisonLines(comparison, paint),
  ],
}

/** The causes, each with the differences that it takes, and the other differences. */
export function comparisonLines(
  { causes, others }: EvaluationComparison,
  paint: Paint,
): readonly string[] {
  if (causes.length === 0 && others.length === 0) return ['Nothing differs.']
  return [
    ...causes.flatMap(({ differences }) => [
      paint('bold', differences.length === 1 ? 'Turns the verdict:' : 'Turn the verdict together:'),
      ...differences.map((one) => differenceLine(one, paint)),
    ]),
    ...(others.length > 0 ? [paint('bold', causes.length > 0 ? 'Also:' : 'Differs:')] : []),
    ...others.map((one) => differenceLine(one, paint)),
  ]
}

function differenceLine(difference: DifferenceView, paint: Paint): string {
  const { kind, recipe_id, recipe_name, rule_id, rule_name, name, a, b } = difference
  const of = [name, called(recipe_id, recipe_name), called(rule_id, rule_name)]
  const words = [kind.replace('_', ' '), ...of.filter((word) => word !== undefined)]
  const change = a === undefined && b === undefined ? 'another' : changeText(a, b, paint)
  return `  ${escapeControls(words.join('  '))}  ${change}`
}

function called(id: string | undefined, name: string | undefined): string | undefined {
  return name === undefined ? id : JSON.stringify(name)
}
