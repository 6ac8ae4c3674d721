/** The guide for analysts against the read models: every field of every collection they may read, its kind, and the indexes. */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { accountCollection } from '../../src/projections/accounts/accounts.ts'
import { planUsageCollection } from '../../src/projections/analysis/ruleUsage.ts'
import { evaluationCollection } from '../../src/projections/evaluation/evaluations.ts'
import {
  partOfRuleCollection,
  planCollection,
  planOfPartCollection,
  planPartCollection,
} from '../../src/projections/evaluation/plans.ts'
import {
  feedbackCollection,
  reportedEventCollection,
} from '../../src/projections/feedback/reports.ts'
import { targetReportsCollection } from '../../src/projections/feedback/targetReports.ts'
import { analystCollections } from '../../src/projections/operations/analystCollections.ts'
import { readModels } from '../../src/projections/readModels.ts'
import {
  flowCollection,
  managedRecipeCollection,
  managedRuleCollection,
  recipeCollection,
  ruleCollection,
} from '../../src/projections/rulebook/currentVersions.ts'
import { managedUseCollection } from '../../src/projections/rulebook/managedUses.ts'
import { changeCollection, versionCollection } from '../../src/projections/rulebook/versions.ts'
import type { DocumentCollection } from '../../src/projections/running/projection.ts'
import { senderIdCollection } from '../../src/projections/verification/senderIds.ts'
import { templateCollection } from '../../src/projections/verification/templates.ts'
import { collectionKey } from '../../src/stores/mongodb/readModelState.ts'

type Kind = 'text' | 'number' | 'boolean' | 'list' | 'map'

type KindOf<Value> = [Value] extends [string]
  ? 'text'
  : [Value] extends [number]
    ? 'number'
    : [Value] extends [boolean]
      ? 'boolean'
      : [Value] extends [readonly unknown[]]
        ? 'list'
        : 'map'

/** Every field of a document with its kind: one that is forgotten, or is not there, does not compile. */
type FieldsOf<Document> = {
  readonly [Name in keyof Document]-?: Fields<NonNullable<Document[Name]>>
}

/** The kind alone; of a list of documents, or of one, its fields as well, unless any may be in it. */
type Fields<Value> = [Value] extends [readonly (infer Item)[]]
  ? [Item] extends [string | number | readonly unknown[]]
    ? 'list'
    : readonly ['list', FieldsOf<Item>]
  : [Value] extends [string | number | boolean]
    ? KindOf<Value>
    : 'map' | readonly ['map', FieldsOf<Value>]

interface Described {
  readonly collection: DocumentCollection<object>
  readonly fields: FieldTree
}

interface FieldTree {
  readonly [name: string]: Kind | readonly [Kind, FieldTree]
}

function described<Document extends object>(
  collection: DocumentCollection<Document>,
  fields: FieldsOf<Document>,
): Described {
  return { collection, fields: fields as unknown as FieldTree }
}

const kept = { account: 'text', made: 'number', version_id: 'text' } as const
const member = { rule_id: 'text', weight: 'number', preempts: 'text' } as const

const reported = {
  account: 'text',
  at: 'number',
  time: 'number',
  target_type: 'text',
  target_digest: 'text',
  event: 'text',
  sealed_target: 'map',
} as const

const collections = [
  described(accountCollection, {
    made: 'number',
    name: 'text',
    opened_at: 'number',
    authoring: 'boolean',
    management: 'boolean',
    trusted_user: 'boolean',
    custom_suffix: 'boolean',
    tokens: [
      'list',
      {
        token_id: 'text',
        name: 'text',
        scopes: 'list',
        issued_at: 'number',
        expires_at: 'number',
        last_used_at: 'number',
        revoked_at: 'number',
      },
    ],
    sdk_keys: [
      'list',
      {
        key_id: 'text',
        name: 'text',
        origins: 'list',
        issued_at: 'number',
        last_used_at: 'number',
        revoked_at: 'number',
      },
    ],
  }),
  described(templateCollection, {
    account: 'text',
    made: 'number',
    name: 'text',
    kind: 'text',
    code_size: 'number',
    ttl_minutes: 'number',
    max_retries: 'number',
    retry_delay_seconds: 'number',
    per_phone_number_limit: 'number',
    sliding_window_hours: 'number',
    suffix: 'text',
  }),
  described(senderIdCollection, {
    account: 'text',
    made: 'number',
    sender_id: 'text',
    status: 'text',
    reason: 'text',
    submitted_at: 'number',
    decided_at: 'number',
  }),
  described(ruleCollection, { ...kept, name: 'text', expression: 'text' }),
  described(recipeCollection, {
    ...kept,
    name: 'text',
    status: 'text',
    threshold: 'number',
    rules: ['list', { ...member, version_id: 'text' }],
    base_recipe_id: 'text',
    parameters: 'map',
  }),
  described(flowCollection, { ...kept, name: 'text', recipes: 'list' }),
  described(versionCollection, {
    account: 'text',
    version_id: 'text',
    created_at: 'number',
    created_by: 'text',
    restored_at: 'number',
    restored_by: 'text',
    content: 'map',
  }),
  described(changeCollection, {
    account: 'text',
    of: 'text',
    at: 'number',
    change: 'text',
    changed_at: 'number',
    changed_by: 'text',
    status: 'text',
    is_version: 'boolean',
    version_id: 'text',
  }),
  described(managedRuleCollection, {
    ...kept,
    name: 'text',
    description: 'text',
    parameters: ['list', { name: 'text', type: 'text' }],
    expression: 'text',
  }),
  described(managedRecipeCollection, {
    ...kept,
    name: 'text',
    description: 'text',
    threshold: 'number',
    threshold_bounds: ['map', { min: 'number', max: 'number' }],
    parameters: [
      'list',
      {
        name: 'text',
        type: 'text',
        default_value: 'text',
        value_min: 'number',
        value_max: 'number',
        values: 'list',
      },
    ],
    rules: ['list', member],
  }),
  described(managedUseCollection, { account: 'text' }),
  described(evaluationCollection, {
    account: 'text',
    flow_id: 'text',
    at: 'number',
    time: 'number',
    verdict: 'text',
    plan: 'text',
    recipes: ['list', { recipe_id: 'text', verdict: 'text', score: 'number', partial: 'boolean' }],
    phone_digest: 'text',
    email_digest: 'text',
    ip_digest: 'text',
    device_digest: 'text',
    correlation_digest: 'text',
  }),
  described(planCollection, {
    account: 'text',
    flow_id: 'text',
    flow_version_id: 'text',
    recipes: [
      'list',
      {
        recipe_id: 'text',
        version_id: 'text',
        status: 'text',
        threshold: 'number',
        parts: 'list',
      },
    ],
  }),
  described(planPartCollection, { rules: 'list' }),
  described(partOfRuleCollection, {}),
  described(planOfPartCollection, {}),
  described(planUsageCollection, { evaluations: 'number', counts: 'list' }),
  described(feedbackCollection, {
    ...reported,
    type: 'text',
    correlation_digest: 'text',
    sealed_context: 'map',
  }),
  described(reportedEventCollection, { ...reported, label: 'text', confidence: 'text' }),
  described(targetReportsCollection, {
    account: 'text',
    reports: [
      'list',
      {
        kind: 'text',
        name: 'text',
        confidence: 'text',
        count: 'number',
        last_at: 'number',
        last_time: 'number',
      },
    ],
    dropped_at: 'number',
    erased_at: 'number',
  }),
]

const guide = readFileSync('docs/guide/read-models.md', 'utf8')
const sections = new Map(
  guide
    .split(/^(?=#{2,3} )/m)
    .map((text) => [/^### `(\w+)`$/m.exec(text)?.[1], text] as const)
    .flatMap(([name, text]) => (name === undefined ? [] : [[name, text] as const])),
)

function rowsOf(section: string): readonly string[] {
  const rows = [...section.matchAll(/^\| `([\w.[\]]+)` \| (\w+) \| ./gm)]
  return rows.map(([, path, kind]) => `${path} ${kind}`)
}

function pathsOf(fields: FieldTree, before = ''): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (typeof field === 'string') return [`${before}${name} ${field}`]
    const [kind, inner] = field
    const between = kind === 'list' ? '[].' : '.'
    return [`${before}${name} ${kind}`, ...pathsOf(inner, `${before}${name}${between}`)]
  })
}

const kindNames: Readonly<Record<string, Kind>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
}

/** The kinds of the values in the documents that the samples of all events make, by path. */
function kindsSeen(shape: unknown, path = ''): readonly (readonly [string, Kind])[] {
  if (typeof shape === 'string') return [[path, kindNames[shape] ?? 'map']]
  if (Array.isArray(shape)) {
    return [
      [path, 'list'],
      ...shape.filter(isObject).flatMap((item) => fieldsSeen(item, `${path}[].`)),
    ]
  }
  return [[path, 'map'], ...fieldsSeen(shape as object, `${path}.`)]
}

function fieldsSeen(shape: object, before: string): readonly (readonly [string, Kind])[] {
  return Object.entries(shape).flatMap(([name, kind]) => kindsSeen(kind, `${before}${name}`))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

describe('the guide for analysts', () => {
  test('has a section for each collection they may read, and for no other', () => {
    expect([...sections.keys()].toSorted()).toEqual(
      analystCollections.map(collectionKey).toSorted(),
    )
  })

  test('is held against each of them', () => {
    const names = (all: readonly { readonly name: string }[]) =>
      all.map(({ name }) => name).toSorted()

    expect(names(collections.map(({ collection }) => collection))).toEqual(
      names(analystCollections),
    )
  })

  test('says of every other collection of the read models that it is not for analysts', () => {
    const [, others = ''] = guide.split('## Not for analysts')
    const known = new Set(analystCollections.map(collectionKey))
    const unsaid = readModels
      .flatMap((projection) => projection.collections)
      .map(collectionKey)
      .filter((name) => !known.has(name) && !others.includes(`\`${name}\``))

    expect(unsaid).toEqual([])
  })

  test.each(collections)('says every field of $collection.name and its kind', (one) => {
    const section = sections.get(collectionKey(one.collection)) ?? ''

    expect(rowsOf(section).toSorted()).toEqual(pathsOf(one.fields).toSorted())
  })

  test.each(collections)(
    'says of $collection.name what its documents show',
    ({ collection, fields }) => {
      const file = `${collection.name}.v${collection.version}`
      expect(readdirSync('test/projections/documents')).toContain(`${file}.json`)
      const said = new Map(pathsOf(fields).map((line) => line.split(' ') as [string, string]))
      const maps = [...said].filter(([, kind]) => kind === 'map').map(([path]) => `${path}.`)
      const shapes = JSON.parse(readFileSync(`test/projections/documents/${file}.json`, 'utf8'))
      const shown = shapes
        .flatMap((shape: object) => fieldsSeen(shape, ''))
        .filter(([path]: [string]) => said.has(path) || !maps.some((map) => path.startsWith(map)))

      expect(shown.map(([path]: [string]) => [path, said.get(path)])).toEqual(shown)
    },
  )

  test.each(analystCollections)('says the indexes of $name', (collection) => {
    const section = sections.get(collectionKey(collection)) ?? ''
    const [, listed = ''] = /^Index(?:es)?: (.*)$/m.exec(section) ?? []
    const indexes = [...listed.matchAll(/`([\w, ]+)`/g)].map(([, fields = '']) =>
      fields.split(', '),
    )

    expect(indexes).toEqual(collection.indexes)
  })
})
