/** How a recorded evaluation is shown: a tree of recipes, rules, what each read, and what each part of it gave. */

import type {
  EvaluationAnswer,
  PartAnswer,
  ReadAnswer,
  RecipeAnswer,
  RuleAnswer,
} from '../answers.ts'
import { colourOf, type Paint } from '../paint.ts'
import { printable } from '../printable.ts'
import { noteOf, recipeLine, ruleName } from './verdict.ts'

/** A line and what hangs below it. */
interface Branch {
  readonly text: string
  readonly branches: readonly Branch[]
}

const leaf = (text: string): Branch => ({ text, branches: [] })

/** What it was, and why. */
export function explanationLines(answer: EvaluationAnswer, paint: Paint): readonly string[] {
  const facts = [
    ['flow', `${answer.flow_id}  version ${answer.flow_version_id}`],
    ['evaluated', answer.evaluated_at],
    ['dispatch', answer.dispatch],
    ['record', `position ${answer.position}, semantics ${answer.semantics_version}`],
    ['result', `sha256 ${answer.result_hash}`],
  ] as const
  return [
    `${paint(colourOf(answer.verdict), answer.verdict)}  ${printable(answer.id)}`,
    ...facts.map(([name, text]) => paint('dim', `  ${name.padEnd(10)}${printable(text)}`)),
    ...recipesOf(answer).flatMap((recipe) => ['', ...treeLines(recipeBranch(recipe, paint))]),
    ...('forgotten' in answer.explanation
      ? ['', 'The evidence has been erased with the person it was about; the outcomes remain.']
      : []),
  ]
}

/** The explained recipes; what was answered when the evidence is gone. */
function recipesOf({ explanation, recipes, shadow_recipes }: EvaluationAnswer) {
  if (!('forgotten' in explanation)) return explanation
  const as = (status: string) => (recipe: RecipeAnswer) => ({ ...recipe, status })
  return [...recipes.map(as('LIVE')), ...shadow_recipes.map(as('SHADOW'))]
}

function recipeBranch(recipe: RecipeAnswer, paint: Paint): Branch {
  return {
    text: recipeLine(recipe, paint),
    branches: recipe.rules.map((rule) => ruleBranch(rule, recipe, paint)),
  }
}

function ruleBranch(rule: RuleAnswer, recipe: RecipeAnswer, paint: Paint): Branch {
  const note = noteOf(rule, recipe)
  const outcome = paint(colourOf(rule.outcome), printable(rule.outcome))
  const { expression, reads = [], parts } = rule
  return {
    text: `${outcome}  ${ruleName(rule)}  weight ${rule.weight}${note === '' ? '' : `  (${note})`}`,
    branches: [
      ...(parts?.parts
        ? [partBranch(parts, paint)]
        : expression === undefined
          ? []
          : [leaf(paint('cyan', printable(expression)))]),
      ...reads.map((read) => leaf(readText(read, paint))),
    ],
  }
}

function readText(
  { name, use, convert, arrived, value, source }: ReadAnswer,
  paint: Paint,
): string {
  const shown = convert === undefined ? name : `${convert}(${name})`
  const asked = use === 'has' ? `has(${shown})` : shown
  return arrived
    ? `${printable(asked)} = ${valueText(value)}  ${paint('dim', `from ${source ?? '?'}`)}`
    : `${printable(asked)}  ${paint('yellow', 'did not arrive')}`
}

function partBranch({ text, state, value, parts = [] }: PartAnswer, paint: Paint): Branch {
  const gave =
    state === 'value'
      ? `= ${valueText(value)}`
      : paint('dim', printable(state.replaceAll('_', ' ')))
  return {
    text: `${printable(text)}  ${gave}`,
    // a literal says nothing that its text does not
    branches: parts.filter((part) => !isLiteral(part)).map((part) => partBranch(part, paint)),
  }
}

function isLiteral({ text }: PartAnswer): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function valueText(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'nothing')
}

function treeLines({ text, branches }: Branch): readonly string[] {
  return [text, ...branches.flatMap((branch, index) => hung(branch, index === branches.length - 1))]
}

function hung(branch: Branch, isLast: boolean): readonly string[] {
  return treeLines(branch).map((line, index) => {
    if (index === 0) return `${isLast ? '└─' : '├─'} ${line}`
    return `${isLast ? '  ' : '│ '} ${line}`
  })
}
