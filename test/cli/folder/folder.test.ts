import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { withoutIds } from '../support/openCli.ts'
import { interceptWrites, openFolderOfFile } from '../support/openFolderOfFile.ts'
import { openShop } from '../support/openShop.ts'

const { vigil, shop, at, file, write, pull, push, diff } = await openFolderOfFile()

/** A flow of one recipe of two rules, made through the API. */
async function fill(): Promise<{ large: string; block: string; recipe: string; flow: string }> {
  const { customer } = shop
  const large = await customer.rule('double(signal.ext.total) > 500.0', 'Large cart')
  const block = await customer.rule('list.block', 'On the block list')
  const recipe = await customer.recipe(
    [
      { rule_id: block, weight: 100, preempts: 'FLAG' },
      { rule_id: large, weight: 60 },
    ],
    { name: 'Checkout' },
  )
  const flow = await customer.flow([recipe])
  return { large, block, recipe, flow }
}

function edit(name: string, from: string | RegExp, to: string): void {
  write(name, file(name).replace(from, to))
}

/** Every file with its text and the time it was written. */
function everything(): Record<string, unknown> {
  const names = readdirSync(at(), { recursive: true }) as string[]
  return Object.fromEntries(
    names.sort().map((name) => {
      const stats = statSync(at(name))
      return [name, stats.isFile() ? [stats.mtimeMs, file(name)] : 'folder']
    }),
  )
}

/** The request by which a push is checked, and that by which it is written. */
const changes = 'POST /v2/watch/management/changes'

/** The methods of every request from now on. */
function watchRequests(): () => readonly string[] {
  const spy = vi.spyOn(globalThis, 'fetch')
  return () =>
    spy.mock.calls.map(([url, init]) => `${init?.method} ${new URL(String(url)).pathname}`)
}

/** A push that is expected to end with 0. */
const pushWell = (...flags: string[]) => shop.run(['push', at(), ...flags])

describe('pull', () => {
  test('writes a file for each resource, which refer to each other by name', async () => {
    const { block, large, recipe, flow } = await fill()

    const { out } = await pull()

    expect(out).toBe(
      [
        'written  rules/large-cart.yaml',
        'written  rules/on-the-block-list.yaml',
        'written  recipes/checkout.yaml',
        'written  flows/a-flow.yaml',
        '4 changed.',
        '',
      ].join('\n'),
    )
    expect(file('rules/large-cart.yaml')).toBe(
      `id: ${large}\nname: Large cart\nexpression: |-\n  double(signal.ext.total) > 500.0\n`,
    )
    expect(file('recipes/checkout.yaml')).toBe(
      `id: ${recipe}\nname: Checkout\nstatus: LIVE\nthreshold: 50\nrules:\n` +
        '  - rule: on-the-block-list\n    weight: 100\n    preempts: FLAG\n' +
        '  - rule: large-cart\n    weight: 60\n',
    )
    expect(file('flows/a-flow.yaml')).toBe(`id: ${flow}\nname: a flow\nrecipes:\n  - checkout\n`)
    expect(block).toMatch(/^rul_/)
  })

  test('leaves nothing that differs, and touches no file a second time', async () => {
    await fill()
    await pull()
    const before = everything()

    const compared = await diff()
    const again = await pull()

    expect({ code: compared.code, out: compared.out }).toEqual({
      code: 0,
      out: 'Nothing differs.\n',
    })
    expect(again.out).toBe('Nothing differs.\n')
    expect(everything()).toEqual(before)
  })

  test('keeps names apart that look alike', async () => {
    await shop.customer.rule('list.block', 'Same name')
    await shop.customer.rule('list.allow', 'Same  name!')
    await shop.customer.rule('list.allow', '規則')

    await pull()

    expect(readdirSync(at('rules'))).toEqual(['rule.yaml', 'same-name-2.yaml', 'same-name.yaml'])
    expect((await diff()).code).toBe(0)
  })

  test('brings a file up to date under the name it has, with its comments', async () => {
    const { large } = await fill()
    await pull()
    edit('rules/large-cart.yaml', 'name:', '# agreed in May\nname:')
    const body = { name: 'Very large cart', expression: 'double(signal.ext.total) > 900.0' }
    await shop.customer.send('PUT', `/v2/watch/management/rules/${large}`, body)

    const { out } = await pull()

    expect(out).toContain('changed  rules/large-cart.yaml\n')
    expect(file('rules/large-cart.yaml')).toBe(
      `id: ${large}\n# agreed in May\nname: Very large cart\nexpression: |-\n  double(signal.ext.total) > 900.0\n`,
    )
    expect((await diff()).code).toBe(0)
  })

  test('brings back a file that is missing though others refer to it', async () => {
    await fill()
    await pull()
    const text = file('rules/large-cart.yaml')
    rmSync(at('rules/large-cart.yaml'))

    await pull()

    expect(file('rules/large-cart.yaml')).toBe(text)
  })

  test('names what the service does not have, and removes it only with --prune and an id', async () => {
    const rule = await shop.customer.rule('list.block', 'Gone soon')
    await pull()
    await shop.run(['rules', 'delete', rule])
    write('rules/draft.yaml', 'name: Draft\nexpression: list.allow\n')

    const left = await pull()
    const stillThere = existsSync(at('rules/gone-soon.yaml'))
    const pruned = await pull('--prune')

    expect(left.out).toContain('unknown  rules/gone-soon.yaml\n')
    expect(left.out).toContain('unknown  rules/draft.yaml\n')
    expect(stillThere).toBe(true)
    expect(pruned.out).toContain('removed  rules/gone-soon.yaml\n')
    expect(readdirSync(at('rules'))).toEqual(['draft.yaml'])
  })
})

describe('push', () => {
  test('asks and does not write when nothing differs', async () => {
    await fill()
    await pull()
    const before = everything()
    const requests = watchRequests()

    const { out } = await pushWell()

    expect(out).toBe('Nothing differs that a push would write.\n')
    expect(requests().map((request) => request.split(' ')[0])).toEqual(Array(4).fill('GET'))
    expect(everything()).toEqual(before)
  })

  test('creates what has no id, in the order of references, and writes the ids into the files', async () => {
    write('flows/signup.yaml', '# the one flow\nname: Signup\nrecipes: [first]\n')
    write(
      'recipes/first.yaml',
      'name:   First   # for now\nstatus: LIVE\nthreshold: 1\nrules:\n- {rule: b, weight: 1}\n',
    )
    write('rules/b.yaml', 'name: B\n\nexpression: >\n  list.block ||\n  list.allow\n')

    const { out } = await pushWell()

    expect(withoutIds(out)).toBe(
      [
        'created  rules/b.yaml  rul_00000000000000000000000001',
        'created  recipes/first.yaml  rcp_00000000000000000000000002',
        'created  flows/signup.yaml  flo_00000000000000000000000003',
        '',
      ].join('\n'),
    )
    const [rule, recipe, flow] = out.match(/\w{3}_\w{26}/g) ?? []
    expect(file('rules/b.yaml')).toBe(
      `id: ${rule}\nname: B\n\nexpression: >\n  list.block ||\n  list.allow\n`,
    )
    expect(file('recipes/first.yaml')).toBe(
      `id: ${recipe}\nname:   First   # for now\nstatus: LIVE\nthreshold: 1\nrules:\n- {rule: b, weight: 1}\n`,
    )
    expect(file('flows/signup.yaml')).toBe(
      `# the one flow\nid: ${flow}\nname: Signup\nrecipes: [first]\n`,
    )
    expect((await diff()).out).toBe('Nothing differs.\n')
    expect((await pull()).out).toBe('Nothing differs.\n')
  })

  test('updates what differs and nothing else, and what is renamed stays the same resource', async () => {
    const { large } = await fill()
    await pull()
    edit('rules/large-cart.yaml', 'name: Large cart', 'name: Big cart')
    edit('rules/large-cart.yaml', '500.0', '700.0')
    const requests = watchRequests()

    const { out } = await pushWell()

    expect(out).toBe(`updated  rules/large-cart.yaml  ${large}\n`)
    expect(requests().slice(4)).toEqual([changes, changes])
    expect(await shop.read(['rules', 'get', large])).toMatchObject({
      name: 'Big cart',
      expression: 'double(signal.ext.total) > 700.0',
    })
    expect((await diff()).code).toBe(0)
  })

  test('follows a file that is given another name, when what refers to it does', async () => {
    await fill()
    await pull()
    const text = file('rules/large-cart.yaml')
    rmSync(at('rules/large-cart.yaml'))
    write('rules/big.yaml', text)
    edit('recipes/checkout.yaml', 'rule: large-cart', 'rule: big')

    expect((await diff()).out).toBe('Nothing differs.\n')
  })

  test('takes an id in place of a name', async () => {
    const { large } = await fill()
    await pull()
    edit('recipes/checkout.yaml', 'rule: large-cart', `rule: ${large}`)

    expect((await diff()).out).toBe('Nothing differs.\n')
  })

  test('leaves what only the service has, and deletes it with --prune, backwards', async () => {
    const { large, block, recipe, flow } = await fill()
    await pull()
    for (const name of ['rules', 'recipes', 'flows']) {
      rmSync(at(name), { recursive: true })
      mkdirSync(at(name))
    }

    const left = await pushWell()
    const { out } = await pushWell('--prune')

    expect(left.out).toContain('4 only on the service, left there (--prune deletes).\n')
    expect(out).toBe(
      [
        `deleted  rules/large-cart.yaml  ${large}`,
        `deleted  rules/on-the-block-list.yaml  ${block}`,
        `deleted  recipes/checkout.yaml  ${recipe}`,
        `deleted  flows/a-flow.yaml  ${flow}`,
        '',
      ].join('\n'),
    )
    expect((await diff()).code).toBe(0)
  })

  test.each([
    ['is missing', () => {}],
    ['is a link that leads nowhere', () => symlinkSync('nowhere', at('flows'))],
  ])('with --prune deletes nothing when the place of a kind %s', async (_, replace) => {
    await fill()
    await pull()
    rmSync(at('flows'), { recursive: true })
    rmSync(at('rules/large-cart.yaml'))
    edit('recipes/checkout.yaml', / {2}- rule: large-cart\n.*\n/, '')
    replace()
    const requests = watchRequests()

    const { code, err } = await push('--prune')

    expect(code).toBe(2)
    expect(err).toMatch(
      /^ {2}flows.*(?:is not there, and --prune would delete all flows|is not a folder)/m,
    )
    expect(requests().filter((request) => /^(?:PUT|DELETE)/.test(request))).toEqual([])
    expect(await shop.read(['flows', 'list'])).toMatchObject({ flows: [{}] })
  })

  test('with --prune does not ask for the place of a kind of which the service has nothing', async () => {
    await shop.customer.rule('list.block', 'A')
    await pull()
    for (const name of ['recipes', 'flows', 'rules/a.yaml']) rmSync(at(name), { recursive: true })

    const { out } = await pushWell('--prune')

    expect(out).toMatch(/^deleted {2}rules\/a\.yaml/)
  })

  test('says the id of what it created when the file does not take it', async () => {
    write('rules/a.yaml', 'name: A\nexpression: list.block\n')
    write('rules/b.yaml', 'name: B\nexpression: list.block\n')
    interceptWrites((_, real) => {
      write('rules/a.yaml', 'name: [\n')
      return real()
    })

    const { code, out, err } = await push()

    const { rules } = await shop.read(['rules', 'list'])
    const [{ id } = { id: '' }] = rules as { id: string }[]
    expect(code).toBe(2)
    expect(err).toContain('The ids of new resources could not be written into their files.')
    expect(err).toMatch(
      new RegExp(`^ {2}rules/a\\.yaml: .* Write this line into it: id: ${id}$`, 'm'),
    )
    expect(out).toMatch(/^created {2}rules\/a\.yaml .*\ncreated {2}rules\/b\.yaml .*\n$/)
    expect(file('rules/b.yaml')).toMatch(/^id: rul_/)
  })

  test('stops before the write at Ctrl-C, and says that nothing was done', async () => {
    for (const name of ['a', 'b']) {
      write(`rules/${name}.yaml`, `name: ${name}\nexpression: list.block\n`)
    }
    const interruption = new AbortController()
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      if (init?.method === 'POST') interruption.abort()
      return real(input, init)
    })

    const { code, out } = await shop.cli.run(['push', at()], {
      interrupted: interruption.signal,
    })

    expect(code).toBe(130)
    expect(out).toBe('not done: create  rules/a.yaml\nnot done: create  rules/b.yaml\n')
    expect(await shop.read(['rules', 'list'])).toEqual({ rules: [] })
  })
})

describe('a recipe that extends a managed one', () => {
  const payout = 'rcp_7zqba005hrgn19z1jsxe2kr0xn'
  const plusAddress = 'rul_5y4ntq9n2zhbcbc8dy2r516qt5'

  /** Recipes that say as much, and as little, as one can of what they extend, in a flow. */
  async function fillExtended(): Promise<void> {
    const { customer } = shop
    const own = await customer.rule('signal.ext.a == "x"', 'Own')
    const extend = (name: string, rest: object = {}) =>
      customer.recipe([], { name, threshold: 60, base_recipe_id: payout, ...rest })
    await customer.flow([
      await extend('Whole', {
        parameters: { home_countries: 'NO,FR', channel: 'app', quiet_from: 22, quiet_to: '06' },
        rules: [
          { rule_id: own, weight: 3 },
          { rule_id: plusAddress, weight: 4, preempts: 'PASS' },
        ],
      }),
      await extend('Bare'),
      await extend('Empty', { parameters: {}, status: 'SHADOW' }),
    ])
  }

  const unnamed = (): Record<string, string> =>
    Object.fromEntries(
      (readdirSync(at(), { recursive: true }) as string[])
        .filter((name) => name.endsWith('.yaml'))
        .sort()
        .map((name) => [name, file(name).replace(/^id: .*\n/m, '')]),
    )

  test('is the same in an empty account, where it is pushed without its ids', async () => {
    await fillExtended()
    await pull()
    expect((await diff()).out).toBe('Nothing differs.\n')
    const pulled = unnamed()
    for (const [name, text] of Object.entries(pulled)) write(name, text)
    const other = await openShop(vigil)

    const pushed = await other.run(['push', at()])
    const compared = await other.run(['diff', at()])
    const texts = unnamed()
    rmSync(at(), { recursive: true })
    await other.run(['pull', at()])
    const listed = await other.read(['recipes', 'list'])
    await other.close()

    expect(pushed.out.match(/^created /gm)).toHaveLength(5)
    expect(compared.out).toBe('Nothing differs.\n')
    expect(texts).toEqual(pulled)
    expect(unnamed()).toEqual(pulled)
    const said = (recipes: unknown) =>
      (recipes as Record<string, unknown>[]).map(
        ({ name, status, threshold, base_recipe_id, parameters }) => ({
          ...{ name, status, threshold, base_recipe_id, parameters },
        }),
      )
    const { recipes } = await shop.read(['recipes', 'list'])
    expect(said(listed['recipes'])).toEqual(expect.arrayContaining(said(recipes)))
    expect(said(recipes)).toHaveLength(3)
  })

  test('shows a changed parameter alone, and takes it from the service with its comments', async () => {
    write(
      'recipes/a.yaml',
      `name: A\nstatus: LIVE\nthreshold: 60\nbase_recipe_id: ${payout}\n` +
        'parameters:\n  quiet_from: 22 # closing time\n  quiet_to: 6\nrules: []\n',
    )
    const id = /rcp_\w{26}/.exec((await pushWell()).out)?.[0] ?? ''
    const recipe = await shop.read(['recipes', 'get', id])
    const changed = { ...recipe, parameters: { quiet_from: 22, quiet_to: 7 } }
    await shop.run(['recipes', 'put', id, '--file', '-'], { stdin: JSON.stringify(changed) })

    const compared = await diff()
    await pull()

    expect(compared.code).toBe(1)
    expect(compared.out).toContain('-  quiet_to: "7"\n+  quiet_to: "6"\n')
    expect(compared.out).not.toMatch(/^[-+] {2}quiet_from/m)
    expect(file('recipes/a.yaml')).toContain(
      'parameters:\n  quiet_from: 22 # closing time\n  quiet_to: "7"\n',
    )
    expect((await diff()).code).toBe(0)
  })

  test('whose value the service refuses is named with the parameter', async () => {
    write(
      'recipes/a.yaml',
      `name: A\nstatus: LIVE\nthreshold: 60\nbase_recipe_id: ${payout}\nparameters: {quiet_from: 24}\nrules: []\n`,
    )

    const { code, err } = await push()

    expect(code).toBe(2)
    expect(err).toContain('  recipes/a.yaml:5:26: Must be at most 23.')
  })
})

describe('diff', () => {
  test('shows what a push would change, and ends with 1', async () => {
    await fill()
    await shop.customer.rule('list.allow', 'On the allow list')
    await pull()
    rmSync(at('rules/on-the-allow-list.yaml'))
    edit('recipes/checkout.yaml', 'weight: 60', 'weight: 70')
    write('rules/new.yaml', 'name: New\nexpression: list.block\n')

    const { code, out } = await diff()

    expect(code).toBe(1)
    expect(withoutIds(out)).toMatchInlineSnapshot(`
      "rules/new.yaml  to create
      --- /dev/null
      +++ folder/rules/new.yaml
      @@ -0,0 +1,3 @@
      +name: New
      +expression: |-
      +  list.block

      rules/on-the-allow-list.yaml  only on the service  rul_00000000000000000000000001
      --- service/rules/on-the-allow-list.yaml
      +++ /dev/null
      @@ -1,3 +0,0 @@
      -name: On the allow list
      -expression: |-
      -  list.allow

      recipes/checkout.yaml  to update  rcp_00000000000000000000000002
      --- service/recipes/checkout.yaml
      +++ folder/recipes/checkout.yaml
      @@ -6,4 +6,4 @@
           weight: 100
           preempts: FLAG
         - rule: large-cart
      -    weight: 60
      +    weight: 70

      1 to create, 1 to update, 1 only on the service.
      "
    `)
  })

  test('gives both sides to a program', async () => {
    const { large } = await fill()
    await pull()
    edit('rules/large-cart.yaml', '500.0', '700.0')

    const { code, json } = await diff('--json')

    expect(code).toBe(1)
    expect(json()).toEqual({
      differences: [
        {
          action: 'update',
          kind: 'rules',
          file: 'rules/large-cart.yaml',
          id: large,
          service: { name: 'Large cart', expression: 'double(signal.ext.total) > 500.0' },
          folder: { name: 'Large cart', expression: 'double(signal.ext.total) > 700.0' },
        },
      ],
    })
  })

  test('takes white space at the end of an expression for nothing', async () => {
    await shop.customer.rule('list.block\n', 'A')
    await pull()
    edit('rules/a.yaml', '|-', '|')

    expect((await diff()).code).toBe(0)
  })

  test('shows a file whose resource is gone, which no push takes', async () => {
    const rule = await shop.customer.rule('list.block', 'A')
    await pull()
    await shop.run(['rules', 'delete', rule])

    const compared = await diff()
    const pushed = await push()

    expect(compared.code).toBe(1)
    expect(compared.out).toContain(`rules/a.yaml: the service has nothing with the id ${rule}`)
    expect(pushed.code).toBe(2)
    expect(pushed.err).toContain(`rules/a.yaml: the service has nothing with the id ${rule}`)
  })
})

describe('a folder that is not in order is refused with 2 before anything is written', () => {
  const id = 'rul_01jc0t6fwwfgfsq1md24mhyztj'

  test('every problem of every file is said at once', async () => {
    write('rules/a.yaml', `id: ${id}\nname: A\nexpression: x\n`)
    write('rules/b.yaml', `id: ${id}\nname: B\nexpression: x\n`)
    write('rules/c.yaml', 'name: [\n')
    write('rules/d.yml', 'name: D\n')
    write('rules/E.yaml', 'name: E\n')
    write('rules/.hidden', 'x')
    mkdirSync(at('flows/deep'), { recursive: true })
    symlinkSync('nowhere', at('flows/f.yaml'))
    writeFileSync(at('flows/g.yaml'), Buffer.from('name: Crédit', 'latin1'))
    const requests = watchRequests()

    const { code, err } = await diff()

    expect(code).toBe(2)
    expect(err).toContain('vigil: The folder is not in order.\n')
    for (const problem of [
      'rules/b.yaml:1:5: has the id of rules/a.yaml.',
      'rules/c.yaml:2:1: ',
      'rules/d.yml: does not end in .yaml.',
      'rules/E.yaml: is not named by small letters, digits and dashes.',
      'flows/deep: is not a file.',
      'flows/f.yaml: is not a file.',
      'flows/g.yaml: is not text in UTF-8.',
    ]) {
      expect(err).toContain(`\n  ${problem}`)
    }
    expect(err).not.toContain('.hidden')
    expect(requests().every((request) => request.startsWith('GET'))).toBe(true)
  })

  test('what is wrong within files and between them is said together, and for programs one by one', async () => {
    write('rules/a.yaml', 'name: [\n')
    write('recipes/r.yaml', 'name: R\nstatus: LIVE\nthreshold: 1\nrules: [{rule: a, weight: 1}]\n')
    write('flows/f.yaml', 'name: F\nrecipes: [r, nope]\n')

    const { err } = await diff()
    const json = await diff('--json')

    expect(err).toContain('\n  rules/a.yaml:2:1: ')
    expect(err).toContain('\n  flows/f.yaml:2:14: there is no recipes/nope.yaml.')
    // the file is there, whatever is wrong in it
    expect(err).not.toContain('there is no rules/a.yaml')
    expect(JSON.parse(json.err).error.details).toEqual([
      { path: 'rules/a.yaml', line: 2, column: 1, message: expect.any(String) },
      { path: 'flows/f.yaml', line: 2, column: 14, message: 'there is no recipes/nope.yaml.' },
    ])
  })

  test('a file with a mistake is held against the others none the less, and each problem is printed once', async () => {
    write('rules/a.yaml', `id: ${id}\nname: A\nexpression: x\n`)
    write('rules/b.yaml', `id: ${id}\nname: 1\nexpression: x\n`)
    write('rules/new.yaml', 'name: New\n')
    write(
      'recipes/r.yaml',
      'name: R\nstatus: LIVE\nthreshold: x\nrules:\n  - {rule: nope, weight: 1}\n  - {rule: new, weight: 1, version_id: ver_1}\n',
    )

    const { code, err } = await diff()
    const json = await diff('--json')

    expect(code).toBe(2)
    expect(err).toBe(
      [
        'vigil: The folder is not in order.',
        '  rules/b.yaml:1:5: has the id of rules/a.yaml.',
        `    id: ${id}`,
        '        ^',
        '  recipes/r.yaml:5:12: there is no rules/nope.yaml.',
        '  recipes/r.yaml:6:12: pins a version of rules/new.yaml, which does not exist yet; remove the version_id.',
        '  rules/new.yaml:1:1: expression: This field is required: a string of 1 to 4096 characters.',
        '    name: New',
        '    ^',
        '  recipes/r.yaml:3:12: Must be a whole number from -9007199254740991 to 9007199254740991.',
        '',
      ].join('\n'),
    )
    const { error } = JSON.parse(json.err)
    expect(error.message).toBe('The folder is not in order.')
    expect(error.details).toHaveLength(5)
  })

  test('what cannot be read is one problem among the others, and none of those that refer to it', async () => {
    write('recipes/r.yaml', 'name: R\nstatus: LIVE\nthreshold: 1\nrules: [{rule: a, weight: 1}]\n')
    write('recipes/s.yml', '')
    symlinkSync('loop.yaml', at('recipes/loop.yaml'))
    symlinkSync('rules', at('rules'))
    write('flows/f.yaml', 'name: F\nrecipes: [r, s, loop, nope]\n')

    const { code, err } = await push('--json')

    expect(code).toBe(2)
    expect(JSON.parse(err).error.details).toEqual([
      { path: 'rules', message: expect.stringMatching(/^cannot be used: its symbolic links/) },
      {
        path: 'recipes/loop.yaml',
        message: expect.stringMatching(/^cannot be used: its symbolic links/),
      },
      { path: 'recipes/s.yml', message: 'does not end in .yaml.' },
      { path: 'flows/f.yaml', line: 2, column: 23, message: 'there is no recipes/nope.yaml.' },
    ])
  })

  test('of very many problems a person is shown the first, and a program all', async () => {
    for (let number = 1; number <= 60; number += 1) write(`rules/a${number}.txt`, '')

    const { err } = await diff()
    const json = await diff('--json')

    expect(err.match(/^ {2}rules\//gm)).toHaveLength(50)
    expect(err).toMatch(/\n {2}and 10 more\n$/)
    expect(JSON.parse(json.err).error.details).toHaveLength(60)
  })

  test.each([
    ['that is not there', () => {}, 'There is no folder '],
    ['that is a file', () => writeFileSync(at(), ''), 'is not a folder.'],
    ['of something else', () => write('src/main.ts', ''), 'is no rulebook: '],
    ['with a file in the place of its rules', () => write('rules', ''), 'rules: is not a folder.'],
  ])('one %s, whatever it would be compared with', async (_, prepare, words) => {
    await fill()
    prepare()
    const requests = watchRequests()

    const answers = [await diff(), await push('--prune')]

    for (const { code, err } of answers) {
      expect(code).toBe(2)
      expect(err).toContain(words)
    }
    expect(requests().every((request) => request.startsWith('GET'))).toBe(true)
  })

  test('one that the system does not let be made', async () => {
    await fill()
    writeFileSync(at(), '')

    const { code, err } = await shop.cli.run(['pull', at('rulebook')])

    expect(code).toBe(2)
    expect(err).toMatch(/^vigil: Cannot use .*lists: something in its path is no folder/)
  })

  test('a pinned version of a rule that is yet to be made', async () => {
    const { large } = await fill()
    const { version_id } = await shop.read(['rules', 'get', large])
    await shop.customer.recipe([{ rule_id: large, weight: 1, version_id }], { name: 'Pinned' })
    await pull()
    const pinned = await diff()
    for (const name of ['rules/large-cart', 'recipes/pinned']) edit(`${name}.yaml`, /^id: .*\n/, '')

    const { code, err } = await push()

    expect(pinned.code).toBe(0)
    expect(code).toBe(2)
    expect(err).toContain(
      'recipes/pinned.yaml:5:11: pins a version of rules/large-cart.yaml, which does not exist yet; remove the version_id.',
    )
  })
})

test('progress is shown on a terminal and nowhere else', async () => {
  await fill()

  const { err } = await shop.run(['pull', at()], { terminal: true })
  const quiet = await pull()

  expect(err).toContain('\r\u001b[Kreading rules: 2')
  expect(err.endsWith('\r\u001b[K')).toBe(true)
  expect(quiet.err).toBe('')
})
