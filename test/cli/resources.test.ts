import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

const createRule = async (name: string, expression: string): Promise<string> =>
  String((await shop.read(['rules', 'create', '--name', name, '--expression', expression]))['id'])

test.each(['rules', 'recipes', 'flows', 'sender-ids', 'lists', 'templates'])(
  'that there are no %s is said',
  async (resources) => {
    const { out } = await shop.run([resources, 'list'])

    expect(out).toBe(`No ${resources.replace('sender-ids', 'sender IDs')}.\n`)
  },
)

test('a rule is made from two options, read as YAML, replaced, and deleted', async () => {
  const id = await createRule('Large cart', 'double(signal.ext.cart_total) > 500.0')

  const read = await shop.run(['rules', 'get', id])
  const words = ['rules', 'put', id, '--name', 'Large cart', '--expression', 'list.block']
  const replaced = await shop.read(words)
  const deleted = await shop.run(['rules', 'delete', id])
  const gone = await shop.cli.run(['rules', 'get', id])

  expect(withoutIds(read.out)).toBe(
    [
      'id: rul_00000000000000000000000001',
      'name: Large cart',
      'expression: double(signal.ext.cart_total) > 500.0',
      'version_id: ver_00000000000000000000000002',
      '',
    ].join('\n'),
  )
  expect(replaced).toMatchObject({ id, name: 'Large cart', expression: 'list.block' })
  expect(deleted.out).toBe(`Deleted ${id}.\n`)
  expect(gone.code).toBe(1)
  expect(gone.err).toContain('not_found: ')
})

test('what get prints can be put again as it is', async () => {
  const rule = await createRule('A', 'list.block')
  const recipe = await shop.customer.recipe([{ rule_id: rule, weight: 60, preempts: 'FLAG' }])
  const { out } = await shop.run(['recipes', 'get', recipe])
  const file = join(shop.cli.folder, 'recipe.yaml')
  writeFileSync(file, out.replace('threshold: 50', 'threshold: 55'))

  const replaced = await shop.read(['recipes', 'put', recipe, '--file', file])

  expect(replaced).toMatchObject({
    ...(parse(out) as object),
    version_id: expect.any(String),
    threshold: 55,
  })
})

test('get names the rules of a recipe and the recipes of a flow behind their ids', async () => {
  const rule = await createRule('Large cart', 'list.block')
  const { rules } = await shop.read(['rules', 'managed'])
  const [managed] = rules as { id: string; description: string }[]
  const members = [rule, managed?.id].map((rule_id) => ({ rule_id, weight: 60 }))
  const recipe = await shop.customer.recipe(members)
  const flow = await shop.customer.flow([recipe])

  const [ofRecipe, ofFlow] = [
    await shop.run(['recipes', 'get', recipe]),
    await shop.run(['flows', 'get', flow]),
  ]

  expect(ofRecipe.out).toContain(`rule_id: ${rule} # Large cart\n`)
  expect(ofRecipe.out).toContain(`rule_id: ${managed?.id} # ${managed?.description}\n`)
  expect(ofFlow.out).toContain(`- ${recipe} # a recipe\n`)
  expect(await shop.read(['recipes', 'get', recipe])).toMatchObject({ rules: members })
})

test('versions are listed and made current again', async () => {
  const id = await createRule('First', 'list.block')
  await shop.run(['rules', 'put', id, '--name', 'Second', '--expression', 'list.allow'])
  const { versions } = await shop.read(['rules', 'versions', id])
  const first = (versions as { version_id: string }[]).at(-1)?.version_id ?? ''

  const restored = await shop.read(['rules', 'restore', id, first])
  const { out } = await shop.run(['rules', 'versions', id])

  expect(restored).toMatchObject({ id, name: 'First', version_id: first })
  expect(out).toMatch(/^ {3}CHANGED +BY +CHANGE +VERSION +NAME\n/)
  expect(out.match(/^\*/gm)).toHaveLength(1)
  expect(out).toMatch(new RegExp(`^\\* +\\S+ +\\S+ +restored +${first} +First$`, 'm'))
})

test('a status that is set and a deletion are listed with the versions', async () => {
  const rule = await createRule('B', 'list.block')
  const recipe = (status: string) =>
    `name: R\nstatus: ${status}\nthreshold: 1\nrules: [{ rule_id: ${rule}, weight: 1 }]\n`
  const create = ['recipes', 'create', '--file', '-', '--json']
  const id = String((await shop.run(create, { stdin: recipe('DRAFT') })).json()['id'])
  await shop.run(['recipes', 'put', id, '--file', '-'], { stdin: recipe('LIVE') })
  await shop.run(['recipes', 'delete', id])

  const { out } = await shop.run(['recipes', 'versions', id])

  const lines = out.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^ +CHANGED +BY +CHANGE +STATUS +VERSION +NAME$/)
  expect(lines.slice(1).map((line) => line.replace(/^ +\S+ +\S+ +/, ''))).toEqual([
    expect.stringMatching(/^deleted +ver_\w+ +R$/),
    expect.stringMatching(/^status set +LIVE +ver_\w+ +R$/),
    expect.stringMatching(/^created +DRAFT +ver_\w+ +R$/),
  ])
})

test('lists line up, whatever stands in them, and cannot command the terminal', async () => {
  const name = 'Ünïcode 🛒'
  const id = await createRule(name, 'list.block // \u001b[31m\n  || list.allow')

  const { out } = await shop.run(['rules', 'list'])
  const listed = await shop.read(['rules', 'list'])

  const line = out.split('\n').find((text) => text.startsWith(id))
  expect(line).toContain('Ünïcode 🛒')
  expect(line).toMatch(/ {2}list\.block \/\/ \\u\{1b\}\[31m \|\| list\.allow$/)
  const [titles = ''] = out.split('\n')
  const [before = ''] = (line ?? '').split('list.block')
  expect(stringWidth(before)).toBe(titles.indexOf('EXPRESSION'))
  expect(listed['rules']).toContainEqual(expect.objectContaining({ id, name }))
})

describe('given a pipe in the place of a file', () => {
  const pipe = (): string => {
    const path = join(shop.cli.folder, `pipe-${randomUUID()}`)
    execFileSync('sh', ['-c', 'mkfifo "$0"', path])
    return path
  }
  const write = (path: string, command: string) =>
    spawn('sh', ['-c', `{ ${command}; } > "$0"`, path], { stdio: 'ignore' })

  test('what is written into it is read to its end', async () => {
    const path = pipe()
    write(path, `printf 'name: Piped\\n'; sleep 0.2; printf 'expression: list.allow\\n'`)

    const { out } = await shop.run(['rules', 'create', '--file', path])

    expect(parse(out)).toMatchObject({ name: 'Piped', expression: 'list.allow' })
  })

  test('it is read as far as a file may be', async () => {
    const path = pipe()
    const writer = write(path, 'exec cat /dev/zero')

    const { code, err } = await shop.cli.run(['rules', 'create', '--file', path])

    writer.kill('SIGKILL')
    expect(code).toBe(2)
    expect(err).toContain('is larger than 1048576 bytes')
  })

  test('Ctrl-C ends the wait for somebody who writes', async () => {
    const interrupted = AbortSignal.timeout(300)

    const { code } = await shop.cli.run(['rules', 'create', '--file', pipe()], { interrupted })

    expect(code).toBe(130)
  })
})

describe('what is given is refused with 2', () => {
  test.each([
    [['rules', 'create'], '', 'Give the rule by --file'],
    [['rules', 'create', '--name', 'a'], '', 'Give the rule by --file'],
    [['rules', 'create', '--file', '-', '--name', 'a'], '', 'Give the rule by --file'],
    [['recipes', 'create'], '', 'Give the recipe by --file.'],
    [['recipes', 'create', '--file', '/no/such/file'], '', 'There is no file'],
    [['recipes', 'create', '--file', '/'], '', '/ is a folder, not a file.'],
    [['recipes', 'create', '--file', '/dev/null'], '', '/dev/null is neither a file nor a pipe.'],
    [['recipes', 'create', '--file', '-'], '- 1', 'must contain one object'],
    [['recipes', 'create', '--file', '-'], 'a: [', 'Flow sequence'],
    [['recipes', 'create', '--file', '-'], 'a: &x 1\nb: *x', 'Alias'],
    [['recipes', 'create', '--file', '-'], Buffer.from('name: Crédit', 'latin1'), 'text in UTF-8'],
  ])('%j with %j', async (words, stdin, said) => {
    const { code, err } = await shop.cli.run(words, { stdin })

    expect(code).toBe(2)
    expect(err).toContain(said)
  })
})

describe('what is probably not meant', () => {
  const never = ['--name', 'Never', '--expression', 'signal.ext.a == "x" && signal.ext.a == "y"']

  test('is said beside what is printed, which stays as it can be put again', async () => {
    const { code, out, err } = await shop.cli.run(['rules', 'create', ...never])

    expect(code).toBe(0)
    expect(err).toBe('vigil: warning: expression: The rule never triggers, whatever arrives.\n')
    expect(Object.keys(parse(out) as object)).toEqual(['id', 'name', 'expression', 'version_id'])
  })

  test('is part of the answer for a program, and of what may be put again', async () => {
    const { out, err } = await shop.cli.run(['rules', 'create', ...never, '--json'])
    const made = JSON.parse(out) as { id: string; warnings: readonly { code: string }[] }

    const put = await shop.cli.run(['rules', 'put', made.id, '--file', '-'], { stdin: out })

    expect(err).toBe('')
    expect(made.warnings.map(({ code }) => code)).toContain('rule_never_triggers')
    expect([put.code, put.err]).toEqual([0, expect.stringContaining('never triggers')])
  })
})
