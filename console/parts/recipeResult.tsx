/** Shows what a recipe made of the evidence: score, bounds, and every rule with the value of its parts. */

import { linkTo } from '../api/address.ts'
import type { ExplainedRecipe, ExpressionPart } from '../api/schema.ts'
import { may } from '../api/session.ts'
import { OutcomeMark } from './outcome.tsx'
import { PartTree } from './partTree.tsx'
import { ScoreBar } from './scoreBar.tsx'
import { boundsOf, decisiveNames } from './scoreBounds.ts'

type Recipe = ExplainedRecipe
type Rule = Recipe['rules'][number]

export function RecipeResult({ recipe }: { readonly recipe: Recipe }) {
  const { rules, score, threshold, verdict, status, determined_by: decider } = recipe
  const decisive = decider === undefined ? decisiveNames(rules, recipe) : []
  return (
    <section class="card recipe">
      <div class="card-head">
        <h2>
          <bdi>{recipe.name ?? recipe.recipe_id}</bdi>
        </h2>
        <OutcomeMark of={verdict} />
        {status === 'SHADOW' && <span class="badge">shadow: not answered</span>}
      </div>
      <ScoreBar
        score={score}
        threshold={threshold}
        {...(decider === undefined ? boundsOf(rules) : { low: score, high: score })}
      />
      {decider !== undefined && (
        <p>
          Decided by{' '}
          <b>
            {nameOf(
              rules.find(({ rule_id }) => rule_id === decider),
              decider,
            )}
          </b>
          , whatever the score.
        </p>
      )}
      {decisive.length > 0 && (
        <p class="warning">
          Missing, and alone able to turn the verdict:{' '}
          {decisive.map((name) => (
            <code key={name}>{name}</code>
          ))}
        </p>
      )}
      <ul class="rules">
        {rules.map((rule) => (
          <li key={rule.rule_id}>
            <RuleResult rule={rule} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOf(rule: Rule | undefined, id: string): string {
  return rule?.name ?? rule?.description ?? id
}

function RuleResult({ rule }: { readonly rule: Rule }) {
  const { outcome, weight, parts, expression, blocked_by, unavailable, problem, type, rule_id } =
    rule
  const detail = blocked_by === undefined ? undefined : `needs ${blocked_by}`
  return (
    <details class="rule-result">
      <summary>
        <OutcomeMark of={outcome} />
        <span class="rule-name">
          <bdi>{nameOf(rule, rule_id)}</bdi>
          {detail && <span class="soft">{detail}</span>}
          {unavailable && <span class="soft">could not run on our side</span>}
        </span>
        <span class={`weight ${outcome === 'TRIGGERED' ? 'counts' : ''}`}>
          {weight > 0 ? '+' : ''}
          {weight}
        </span>
      </summary>
      <div class="rule-body">
        {typeof problem === 'string' && <p class="mistake">{problem}</p>}
        {isTree(parts) ? <PartTree parts={parts} /> : expression && <code>{expression}</code>}
        {!isTree(parts) && !expression && (
          <p class="soft">What a managed rule reads is not told.</p>
        )}
        {type === 'CUSTOM' && may('author', 'audit') && (
          <a href={linkTo(`/rules/${rule_id}`)}>Open the rule</a>
        )}
      </div>
    </details>
  )
}

/** Not where it is sealed. */
function isTree(parts: Rule['parts']): parts is ExpressionPart {
  return parts !== undefined && 'state' in parts
}
