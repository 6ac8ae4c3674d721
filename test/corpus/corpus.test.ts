/**
 * Frozen evaluations of every released version of their events and of the meaning of rules, replayed to the byte. The
 * corpus only grows. A file of the newest versions is written where there is none; look at it, and commit it with its
 * line in `manifest.json`. Only until the first release may one be removed with its line, and made anew.
 */

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { semanticsVersion, semanticsVersions } from '../../src/engine/language/semantics.ts'
import { versions } from '../../src/events/catalogue.ts'
import { type Frozen, makeEvaluations } from './makeEvaluations.ts'
import { corpusFolder as folder, corpusManifest as manifest, replayCorpus } from './replayCorpus.ts'

const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))

/** Of the events that a replay reads. */
const types = ['FlowEvaluated', 'FlowPlanRecorded', 'PlanRulesRecorded', 'ExpressionRecorded']

const newest = `events-${types.map((type) => versions.get(type)).join('.')}-semantics-${semanticsVersion}.jsonl`

test('there are evaluations of the newest versions', async () => {
  const isMissing = !existsSync(join(folder, newest))
  if (isMissing) writeFileSync(join(folder, newest), textOf(await makeEvaluations(types)))

  expect(
    isMissing,
    `test/corpus/${newest} was missing and has been written: look at it, and commit it with its line in manifest.json`,
  ).toBe(false)
})

test('the corpus only grows: no file was changed or removed', () => {
  for (const [name, { sha256 }] of Object.entries(manifest)) {
    const found = files.includes(name) && digestOf(name)

    expect(
      found,
      `test/corpus/${name} was ${found === false ? 'removed' : 'changed'}: it is what a release has written, and must be replayed for ever; put it back`,
    ).toBe(sha256)
  }
  const unlisted = files.filter((name) => !(name in manifest))
  expect(
    unlisted.map((name) => `${name} ${digestOf(name)}`),
    'put these files with their checksums into test/corpus/manifest.json',
  ).toEqual([])
})

test('every version of the meaning of rules is in it', () => {
  for (const version of semanticsVersions) {
    expect(files.some((name) => name.endsWith(`-semantics-${version}.jsonl`))).toBe(true)
  }
})

test.each(Object.entries(manifest))('%s is replayed to the byte', async (name, { evaluations }) => {
  const tally = await replayCorpus(name)

  expect(tally.mismatches).toEqual([])
  expect(tally).toMatchObject({ match: evaluations, mismatch: 0, evidence_erased: 0 })
})

/** A line for each event, the keys in the last. */
function textOf({ events, keys }: Frozen): string {
  return [...events, { keys }].map((line) => `${JSON.stringify(line)}\n`).join('')
}

function digestOf(name: string): string {
  return createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')
}
