import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse, parseDocument } from 'yaml'
import {
  type FolderProblem,
  formatProblem,
} from '../../../src/cli/rulebook/folder/folderProblem.ts'
import { reviseResource } from '../../../src/cli/rulebook/folder/pull.ts'
import { parseResource } from '../../../src/cli/rulebook/folder/readFolder.ts'
import {
  buildSlug,
  type FolderKind,
  findUnusedSlug,
  insertId,
  isSlug,
  type ResourceFields,
  type ResourceFile,
  renderResource,
} from '../../../src/cli/rulebook/folder/resourceFile.ts'
import { draws } from '../../support/draws.ts'

const id = 'rul_01jc0t6fwwfgfsq1md24mhyztj'

function read(kind: FolderKind, text: string): ResourceFile {
  const problems: FolderProblem[] = []
  const resource = parseResource({ kind, slug: 'a', text }, problems)
  if (!resource) throw new Error(problems.map(formatProblem).join('\n'))
  return resource
}

function problemsOf(kind: FolderKind, text: string): readonly string[] {
  const problems: FolderProblem[] = []
  expect(parseResource({ kind, slug: 'a', text }, problems)).toBeUndefined()
  return problems.map(formatProblem)
}

describe('slugs', () => {
  test.each([
    ['Large cart', 'large-cart'],
    ['Throw-away identity (on trial)', 'throw-away-identity-on-trial'],
    ['Été à la carte: 50 %', 'ete-a-la-carte-50'],
    ["Operator's rule", 'operators-rule'],
    ['../../etc/passwd', 'etc-passwd'],
    ['規則', 'rule'],
    ['   ', 'rule'],
    [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
  ])('of %j is %s', (name, slug) => {
    expect(buildSlug(name, 'rule')).toBe(slug)
  })

  test('of any name can name a file', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        const slug = buildSlug(name, 'rule')

        expect(isSlug(slug)).toBe(true)
        expect(slug.length).toBeLessThanOrEqual(60)
      }),
    )
  })

  test('that are taken get the next number', () => {
    const taken = new Set(['a', 'a-2'])

    expect(findUnusedSlug('a', (slug) => taken.has(slug))).toBe('a-3')
    expect(findUnusedSlug('b', (slug) => taken.has(slug))).toBe('b')
  })
})

describe('a written file', () => {
  test('says first what it is, and its expression as a block of lines', () => {
    const text = renderResource(
      { expression: 'list.block\n  || list.allow', name: 'Listed: yes' },
      id,
    )

    expect(text).toBe(
      `id: ${id}\nname: "Listed: yes"\nexpression: |-\n  list.block\n    || list.allow\n`,
    )
  })

  test('keeps a long line whole', () => {
    const expression = `signal.ip in [${'"192.0.2.7", '.repeat(40)}"192.0.2.8"]`

    expect(renderResource({ name: 'a', expression }).split('\n')).toHaveLength(4)
  })

  test('reads back as what was written, whatever the texts hold', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
    const lines = fc.array(fc.constantFrom('a', ' b', '\tc', '# d', '', '- e', 'f: g', '"', '\r'))
    const expression = fc.oneof(
      text,
      lines.map((all) => all.join('\n')),
    )

    fc.assert(
      fc.property(text, expression, (name, given) => {
        const written = renderResource({ name, expression: given }, id)

        expect(parse(written)).toEqual({ id, name, expression: given })
      }),
      { numRuns: draws(500) },
    )
  })
})

describe('a read file', () => {
  test('has its id apart, and no white space at the end of its expression', () => {
    const resource = read('rules', `id: ${id}\nname: A\nexpression: |\n  list.block\n`)

    expect(resource.id).toBe(id)
    expect(resource.fields).toEqual({ name: 'A', expression: 'list.block' })
  })

  test('keeps fields that this program does not know', () => {
    const { fields } = read('flows', 'name: A\nrecipes: [b]\nfuture: { c: 1 }\n')

    expect(fields).toEqual({ name: 'A', recipes: ['b'], future: { c: 1 } })
  })

  test.each<[FolderKind, string, readonly string[]]>([
    [
      'rules',
      'id: rcp_1\nname: A\nexpression: x\n',
      ['rules/a.yaml:1:5: id must be the id of a rule (rul_…); leave it out for a new one.'],
    ],
    [
      'rules',
      'id:\nname: A\nexpression: x\n',
      ['rules/a.yaml:1:4: id must be the id of a rule (rul_…); leave it out for a new one.'],
    ],
    [
      'rules',
      '- 1\n',
      ['rules/a.yaml:1:1: must contain the fields of one resource, without aliases.'],
    ],
    ['rules', '', ['rules/a.yaml:1:1: must contain the fields of one resource, without aliases.']],
    [
      'rules',
      'name: &a x\nexpression: *a\n',
      ['rules/a.yaml:1:1: must contain the fields of one resource, without aliases.'],
    ],
    ['rules', 'name: A\nname: B\n', ['rules/a.yaml:2:1: Map keys must be unique']],
  ])('of %s with %j is refused where it is wrong', (kind, text, problems) => {
    expect(problemsOf(kind, text)).toEqual(problems)
  })
})

describe('the parameters of a recipe', () => {
  const recipe = (parameters: string): string =>
    `name: A\nstatus: LIVE\nthreshold: 1\nrules: []\nparameters:${parameters}\n`

  test('are the texts that are written, quoted or not', () => {
    const { fields } = read(
      'recipes',
      recipe(
        ' {a: 22, b: "22", c: 06, d: 0.10, e: 1e3, f: true, g: NO, h: "", i: 12345678901234567890}',
      ),
    )

    expect(fields['parameters']).toEqual({
      ...{ a: '22', b: '22', c: '06', d: '0.10', e: '1e3', f: 'true', g: 'NO', h: '' },
      i: '12345678901234567890',
    })
  })

  test('read back as what was written, whatever the texts hold', () => {
    const odd = fc.constantFrom(
      ...['NO', 'on', '~', 'null', 'true', '22', '06', '0x16', '.5', '- a', 'a: b'],
    )
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), odd)
    const parameters = fc.dictionary(fc.string({ unit: 'binary', minLength: 1 }), text)

    fc.assert(
      fc.property(parameters, (wanted) => {
        const fields = { name: 'A', status: 'LIVE', threshold: 1, parameters: wanted, rules: [] }

        expect(read('recipes', renderResource(fields)).fields).toEqual(fields)
      }),
    )
  })

  test('brought up to date keep their comments, and those that stay their form', () => {
    const file = read(
      'recipes',
      recipe(
        '\n  quiet_from: 22 # closing time\n  channel: app # ours\n  old: 1\n  # until breakfast\n  quiet_to: 06',
      ),
    )
    const parameters = { channel: 'web', quiet_from: '22', quiet_to: '7', new: 'x' }

    const revised = reviseResource(file, { ...file.fields, parameters })

    expect(revised).toBe(
      recipe(
        '\n  quiet_from: 22 # closing time\n  channel: web # ours\n  # until breakfast\n  quiet_to: "7"\n  new: x',
      ),
    )
  })
})

describe('an id that is written into a file', () => {
  test.each([
    ['name: A\nexpression: x\n', `id: ${id}\nname: A\nexpression: x\n`],
    [
      '# why\n\n# more\nname:   "A"  # b\n\n\nexpression: >\n  x\n',
      `# why\n\n# more\nid: ${id}\nname:   "A"  # b\n\n\nexpression: >\n  x\n`,
    ],
    ['---\nname: A\r\nexpression: x\r\n', `---\nid: ${id}\r\nname: A\r\nexpression: x\r\n`],
    ['  name: A\n  expression: x\n', `  id: ${id}\n  name: A\n  expression: x\n`],
  ])('leaves every other byte of %j as it was', (text, wanted) => {
    expect(insertId(text, id)).toBe(wanted)
  })

  test.each([
    '{ name: A, expression: x }',
    '? name\n: A\n',
    '--- { name: A }\n',
    '--- # c\nname: A\n',
  ])('is there whatever form %j has', (text) => {
    const written = parseDocument(insertId(text, id))

    expect(written.errors).toEqual([])
    expect(written.toJS()).toEqual({ id, ...(parse(text) as object) })
  })

  test.each([`id: ${id}\nname: A\n`, '- 1\n', 'a: [', ''])('is refused by %j', (text) => {
    expect(() => insertId(text, id)).toThrow('changed in the meantime')
  })
})

describe('a file brought up to date', () => {
  const text = `# why this recipe
id: rcp_01jc0t6fwwfgfsq1md24mhyztj
name: 'A'   # its name
threshold: 50 # agreed with finance
status: LIVE
rules:
  # the list first
  - rule: b
    weight: 1 # little
  - { rule: c, weight: 2, preempts: FLAG }
`
  const fields: ResourceFields = {
    name: 'A',
    threshold: 50,
    status: 'LIVE',
    rules: [
      { rule: 'b', weight: 1 },
      { rule: 'c', weight: 2, preempts: 'FLAG' },
    ],
  }

  test('keeps its comments, and says what is wanted', () => {
    const wanted = {
      ...fields,
      threshold: 60,
      rules: [
        { rule: 'd', weight: 9 },
        { rule: 'c', weight: 2 },
        { rule: 'b', weight: 3 },
      ],
    }

    const revised = reviseResource(read('recipes', text), wanted)

    expect(parse(revised)).toEqual({ id: 'rcp_01jc0t6fwwfgfsq1md24mhyztj', ...wanted })
    for (const comment of [
      '# why this recipe',
      '# its name',
      '# agreed with finance',
      '# little',
    ]) {
      expect(revised).toContain(comment)
    }
  })

  test('loses the fields that are gone and gains those that are new', () => {
    const { status: _, ...rest } = fields

    const revised = reviseResource(read('recipes', text), { ...rest, base_recipe_id: 'rcp_2' })

    expect(read('recipes', `${revised}status: LIVE\n`).fields).toEqual({
      ...fields,
      base_recipe_id: 'rcp_2',
    })
  })

  test('says what is wanted whatever it said before', () => {
    const rules = fc.uniqueArray(
      fc.record({ rule: fc.constantFrom('b', 'c', 'd', 'e'), weight: fc.integer() }),
      { selector: ({ rule }) => rule },
    )
    const recipe = fc.record({
      name: fc.string({ minLength: 1 }).filter((name) => name.trim() !== ''),
      threshold: fc.integer(),
      status: fc.constantFrom('LIVE', 'DRAFT'),
      rules,
    })

    fc.assert(
      fc.property(recipe, recipe, (before, wanted) => {
        const revised = reviseResource(read('recipes', renderResource(before)), wanted)

        expect(parse(revised)).toEqual(wanted)
      }),
    )
  })
})
