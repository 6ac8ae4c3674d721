/** What is read is what decisions are made on: both are folds of one log, written apart. */

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AccountEvent, evolveAccount, noAccount } from '../../src/events/accounts/account.ts'
import {
  pickFlowContent,
  pickRecipeContent,
  pickRuleContent,
  toAuthoredRule,
} from '../../src/events/rulebook/authoredContent.ts'
import {
  createRulebook,
  evolveRulebook,
  parseRuleVersion,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'
import { isVersionEvent, readResourceId } from '../../src/events/rulebook/versionEvents.ts'
import { accountCollection } from '../../src/projections/accounts/accounts.ts'
import { getDocument } from '../../src/projections/running/documents.ts'
import {
  authoredFlows,
  authoredRecipes,
  authoredRules,
} from '../../src/queries/rulebook/resources.ts'
import { listVersionChanges } from '../../src/queries/rulebook/versions.ts'
import {
  decisionOf,
  eventsOf,
  type HistoryStep,
  ownStep,
} from '../commands/support/rulebookHistory.ts'
import { draws } from '../support/draws.ts'
import { type ReadModelsRun, runReadModels } from './readModelsRun.ts'

let run: ReadModelsRun
beforeEach(() => {
  run = runReadModels()
})
afterEach(() => run.projections.close())

async function fresh(): Promise<void> {
  await run.projections.close()
  run = runReadModels()
}

/** Told of every event. */
type Seen = (event: RulebookEvent) => void

/** Decides each step and tells what comes of it. */
async function decideAll(steps: readonly HistoryStep[], seen?: Seen): Promise<RulebookState> {
  const state = createRulebook()
  // of no interest to anybody, so that there is something to catch up with when every step is refused
  run.log.add('other', 'Noted', {})
  for (const [count, one] of steps.entries()) {
    for (const event of eventsOf(decisionOf(one, count), state)) {
      run.log.add('rulebook', event.type, structuredClone(event.data), { account: 'acc_a' })
      evolveRulebook(state, event)
      seen?.(event)
    }
  }
  await run.caughtUp()
  return state
}

/** What the account has by the state, in the order made, as it is to be listed. */
function expected({ rules, recipes, flows }: RulebookState) {
  const current = <Entry extends { readonly current: unknown }>(entries: {
    readonly keys: () => Iterable<string>
    readonly get: (id: string) => Entry | undefined
  }) =>
    [...entries.keys()].flatMap((id) => {
      const entry = entries.get(id)
      return entry?.current === undefined ? [] : [{ id, entry }]
    })
  return {
    rules: current(rules).map(({ id, entry: { current: version } }) => ({
      id,
      ...(version && {
        ...toAuthoredRule(pickRuleContent(parseRuleVersion(version))),
        version_id: version.version_id,
      }),
    })),
    recipes: current(recipes).map(({ id, entry: { current: version, status } }) => ({
      id,
      status,
      ...(version && { ...pickRecipeContent(version), version_id: version.version_id }),
    })),
    flows: current(flows).map(({ id, entry: { current: version } }) => ({
      id,
      ...(version && { ...pickFlowContent(version), version_id: version.version_id }),
    })),
  }
}

describe('whatever is published, restored and retired', () => {
  const steps = fc.array(ownStep, { minLength: 5, maxLength: 40 })

  test('the lists are what the rulebook has, in the order made', () =>
    fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await fresh()
        const state = await decideAll(all)
        const asked = { account: 'acc_a', limit: 100 }

        const [rules, recipes, flows] = [authoredRules, authoredRecipes, authoredFlows]
        expect({
          rules: (await rules.list(run.readers, asked)).items,
          recipes: (await recipes.list(run.readers, asked)).items,
          flows: (await flows.list(run.readers, asked)).items,
        }).toEqual(expected(state))
      }),
      { numRuns: draws(60) },
    ))

  test('the history has every version that the rulebook knows, and ends where the rulebook stands', () =>
    fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await fresh()
        const given = new Map<string, Set<string>>()
        const state = await decideAll(all, (event) => {
          if (!isVersionEvent(event)) return
          const of = readResourceId(event)
          given.set(of, (given.get(of) ?? new Set()).add(event.data.version_id))
        })

        for (const kind of ['rules', 'recipes', 'flows'] as const) {
          for (const id of state[kind].keys()) {
            const entry = state[kind].get(id)
            const asked = { account: 'acc_a', of: id, limit: 100 }
            const { items } = await listVersionChanges(run.readers, asked)
            const known = new Set(items.map(({ version }) => version.version_id))
            expect(known).toEqual(given.get(id) ?? new Set())
            expect(items[0]?.change === 'deleted').toBe(entry?.current === undefined)
            const last = entry?.current?.version_id ?? items[0]?.version.version_id
            expect(items[0]?.version.version_id).toBe(last)
          }
        }
      }),
      { numRuns: draws(40) },
    ))
})

describe('whatever an account goes through', () => {
  const token = fc.constantFrom('tok_1', 'tok_2')
  const event = fc
    .oneof(
      fc
        .constantFrom(
          'AuthoringEnabled',
          'AuthoringDisabled',
          'ManagementEnabled',
          'ManagementDisabled',
          'TrustedUserAgreed',
          'TrustedUserWithdrawn',
        )
        .map((type) => ({ type, data: {} })),
      fc.uniqueArray(fc.constantFrom('eval', 'author'), { minLength: 1 }).map((scopes) => ({
        type: 'ApiTokenIssued',
        data: { token_id: `tok_${scopes.join('_')}`, hash: 'h', scopes },
      })),
      token.map((token_id) => ({ type: 'ApiTokenRevoked', data: { token_id } })),
    )
    .map((one) => one as AccountEvent)

  test('the operator sees what decisions are made on', () =>
    fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (later) => {
        await fresh()
        const opened = {
          type: 'AccountOpened',
          data: { account_id: 'acc_a', name: 'Ann' },
        } as const
        const issued = new Set<string>()
        // a token is issued once
        const told = later.filter(({ type, data }) => {
          if (type !== 'ApiTokenIssued') return true
          const isFirst = !issued.has(data.token_id)
          issued.add(data.token_id)
          return isFirst
        })
        for (const { type, data } of [opened, ...told]) {
          run.log.add('account', type, data, { account: 'acc_a', time: 5 })
        }
        await run.caughtUp()

        const seen = (await getDocument(run.readers, accountCollection, 'acc_a'))?.body

        const state = [opened, ...told].reduce(evolveAccount, noAccount)
        expect(seen).toMatchObject({
          name: state.name,
          authoring: state.authoring,
          management: state.management,
          trusted_user: state.trusted_user,
        })
        expect(
          seen?.tokens.map(({ token_id, scopes, revoked_at }) => [
            token_id,
            { scopes, revoked: revoked_at !== undefined },
          ]),
        ).toEqual([...state.tokens].map(([id, { scopes, revoked }]) => [id, { scopes, revoked }]))
        expect(JSON.stringify(seen)).not.toContain('hash')
      }),
      { numRuns: draws(60) },
    ))
})
