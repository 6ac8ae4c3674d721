import { mkdirSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { interceptWrites, openFolderOfFile } from '../support/openFolderOfFile.ts'

const { shop, at, file, write, pull, push, diff } = await openFolderOfFile()

/** A flow of one recipe of one rule, none of which is there yet. */
function writeNew(expression = 'list.block'): void {
  write('rules/a.yaml', `name: A\nexpression: ${expression}\n`)
  write(
    'recipes/r.yaml',
    'name: R\nstatus: LIVE\nthreshold: 1\nrules:\n  - rule: a\n    weight: 1\n',
  )
  write('flows/f.yaml', 'name: F\nrecipes: [r]\n')
}

/** How much of each kind the service has. */
async function counts(): Promise<readonly number[]> {
  const counted = async (kind: string) =>
    ((await shop.read([kind, 'list']))[kind] as readonly unknown[]).length
  return [await counted('rules'), await counted('recipes'), await counted('flows')]
}

const answered = (status: number, body: object) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

describe('everything that is wrong with a folder is said before anything is written', () => {
  test('where it stands: rules, whatever their style, recipes and flows, also of what is yet to be made', async () => {
    write('rules/plain.yaml', 'name: Plain\nexpression: list.block && signal.nothing == "1"\n')
    write(
      'rules/block.yaml',
      'name: Block\nexpression: |-\n  list.block &&\n    signal.nothing == "1"\n',
    )
    write(
      'rules/folded.yaml',
      'name: Folded\nexpression: >-\n  list.block\n  && signal.nothing == "1"\n',
    )
    write(
      'rules/quoted.yaml',
      'name: Quoted\nexpression: "list.block && signal.nothing == \\"1\\""\n',
    )
    write('rules/fine.yaml', 'name: Fine\nexpression: list.block\n')
    write('rules/long.yaml', `name: ${'x'.repeat(129)}\nexpression: list.block\n`)
    write(
      'recipes/r.yaml',
      'name: R\nstatus: SOON\nthreshold: 1\nrules:\n  - rule: plain\n    weight: 1\n  - rule: rul_01jc0t6fwwfgfsq1md24mhyztj\n    weight: 1\n',
    )
    write(
      'recipes/s.yaml',
      'name: S\nstatus: LIVE\nthreshold: 1\nrules:\n  - rule: fine\n    weight: 1\n  - rule: rul_01jc0t6fwwfgfsq1md24mhyztj\n    weight: 1\n',
    )
    write('flows/f.yaml', 'name: F\nrecipes: [r, s, rcp_01jc0t6fwwfgfsq1md24mhyztj]\n')

    const { code, out, err } = await push()
    const json = await push('--json')

    const places = (
      JSON.parse(json.err).error.details as { path: string; line: number; column: number }[]
    )
      .map(({ path, line, column }) => `${path}:${line}:${column}`)
      .sort()
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(places).toEqual([
      'flows/f.yaml:2:17',
      'recipes/r.yaml:2:9',
      'recipes/s.yaml:7:11',
      'rules/block.yaml:4:5',
      'rules/folded.yaml:4:6',
      'rules/long.yaml:1:7',
      'rules/plain.yaml:2:27',
      'rules/quoted.yaml:2:28',
    ])
    expect(err).toContain('    signal.nothing == "1"\n        ^^^^^^')
    expect(err).not.toContain('<input>')
    expect(await counts()).toEqual([0, 0, 0])
    expect(file('rules/fine.yaml')).not.toContain('id:')
  })

  test('in the form of a file, whatever it has in place of what it should', async () => {
    const head = 'status: LIVE\nthreshold: 1\n'
    write('rules/a.yaml', 'nmae: A\nexpression: list.block\n')
    write('recipes/r.yaml', `name: R\n${head}rules: none\nparameters: [1]\n`)
    write('recipes/s.yaml', `name: S\n${head}rules:\n  - ~\n  - {rule: a, wieght: 1}\n  - 5\n`)
    write('recipes/t.yaml', `name: T\n${head}rules:\n  - {rule: 7, weight: 1}\n  - weight: 1\n`)
    write('flows/f.yaml', 'name: F\nrecipes:\n  - 1\n  - {}\n')

    const { code, err } = await push()

    const told = err.split('\n').filter((line) => /^ {2}\w+\//.test(line))
    expect(code).toBe(2)
    expect(told.map((line) => line.trim().replace(/ (?:of [a\d]|did|Known).*$/, ''))).toEqual([
      'rules/a.yaml:1:7: There is no field nmae;',
      'recipes/r.yaml:4:8: Must be a list',
      'recipes/r.yaml:5:13: Must be an object',
      'recipes/s.yaml:5:5: Must be an object.',
      'recipes/s.yaml:6:23: There is no field wieght;',
      'recipes/s.yaml:7:5: Must be an object.',
      'recipes/t.yaml:5:12: Must be a string',
      'recipes/t.yaml:6:5: rule: This field is required: a string',
      'flows/f.yaml:3:5: Must be a string',
      'flows/f.yaml:4:5: Must be a string',
    ])
  })

  test('mistakes in rules along with those in the form of other files', async () => {
    writeNew('signal.nothing == "1"')
    write(
      'recipes/s.yaml',
      'name: S\nstatus: LIVE\nthreshold: often\nrules: [{rule: nowhere, weight: 1}]\n',
    )

    const { code, err } = await push()

    expect(code).toBe(2)
    expect(err).toContain('  recipes/s.yaml:3:12: Must be a whole number')
    expect(err).toContain('  recipes/s.yaml:4:16: there is no rules/nowhere.yaml.')
    expect(err).toMatch(/^ {2}rules\/a\.yaml:2:13: .*signal\.nothing/m)
  })

  test('without the service as far as that goes, and says what could not be asked', async () => {
    writeNew('signal.nothing == "1"')
    write('flows/g.yaml', 'name: [\n')

    const { code, err } = await push('--server', 'http://127.0.0.1:2')

    expect(code).toBe(2)
    expect(err).toContain('  flows/g.yaml:2:1: ')
    expect(err).toContain('The rules were not compiled: Cannot reach http://127.0.0.1:2')
  })
})

describe('a push is one write', () => {
  test('of which nothing is done when somebody was faster, and which can be taken up again', async () => {
    const id = await shop.customer.rule('list.allow', 'Theirs')
    await pull()
    writeNew()
    write('rules/theirs.yaml', `id: ${id}\nname: Ours\nexpression: list.allow\n`)
    let disturbed = false
    interceptWrites(async (_, real) => {
      if (disturbed) return real()
      disturbed = true
      const body = { name: 'Theirs again', expression: 'list.allow' }
      await shop.customer.send('PUT', `/v2/watch/management/rules/${id}`, body)
      return real()
    })

    const failed = await push()
    const before = await counts()
    const again = await push()

    expect(failed.code).toBe(1)
    expect(failed.out).toMatch(/^(?:not done: .*\n){4}$/)
    expect(failed.err).toContain('  rules/theirs.yaml: It has changed since you read it')
    expect(failed.err).toContain('Nothing was written; push again. What has changed: vigil diff')
    expect(before).toEqual([1, 0, 0])
    expect(again.code).toBe(0)
    expect(await counts()).toEqual([2, 1, 1])
  })

  test('that is found again when its answer was lost, and made once', async () => {
    writeNew()
    interceptWrites(async (_, real) => {
      await real()
      throw Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }),
      })
    })

    const lost = await push()
    vi.restoreAllMocks()
    const compared = await diff()
    const again = await push()

    expect(lost.code).toBe(3)
    expect(lost.err).toContain('Whether this write was done is not known: push again')
    expect(compared.code).toBe(1)
    expect(compared.out).toContain('3 already on the service, its id to be written into the file.')
    expect(again.out).toMatch(
      /^adopted {2}rules\/a\.yaml {2}rul_.*\nadopted {2}recipes\/r\.yaml .*\nadopted {2}flows/,
    )
    expect(file('rules/a.yaml')).toMatch(/^id: rul_\w{26}\nname: A/)
    expect(await counts()).toEqual([1, 1, 1])
    expect((await diff()).code).toBe(0)
  })

  test('or several where one cannot hold it all, of which those that were done stay', async () => {
    writeNew()
    write('rules/b.yaml', 'name: B\nexpression: list.allow\n')
    let writes = 0
    interceptWrites(async (init, real) => {
      const { rules, recipes, flows } = JSON.parse(String(init?.body)) as Record<
        string,
        readonly object[]
      >
      const size = [rules, recipes, flows].reduce((sum, list) => sum + (list?.length ?? 0), 0)
      if (size > 2) {
        return answered(413, { code: 'payload_too_large', message: 'Too many.', type: 't' })
      }
      writes += 1
      return writes === 2
        ? answered(409, { code: 'conflict', message: 'Others keep changing it.', type: 'conflict' })
        : real()
    })

    const failed = await push()
    const between = await counts()
    const again = await push()

    expect(failed.code).toBe(1)
    expect(failed.out).toMatch(
      /^created {2}rules\/a\.yaml .*\ncreated {2}rules\/b\.yaml .*\nnot done: create {2}recipes\/r\.yaml\nnot done: create {2}flows\/f\.yaml\n$/,
    )
    expect(failed.err).toContain('What is listed above as done stays done; push again to continue.')
    expect(file('rules/a.yaml')).toMatch(/^id: rul_/)
    expect(between).toEqual([2, 0, 0])
    expect(again.code).toBe(0)
    expect(again.out).toMatch(/^created {2}recipes\/r\.yaml .*\ncreated {2}flows\/f\.yaml /)
    expect(await counts()).toEqual([2, 1, 1])
  })

  test('of as many rules as a folder has, which need more than one', async () => {
    const longest = Array.from(
      { length: 4 },
      (_, at) => `signal.ext.a == "${'x'.repeat(950)}${at}"`,
    )
    const writes: number[] = []
    interceptWrites(async (_, real) => {
      const answer = await real()
      writes.push(answer.status)
      return answer
    })
    for (let at = 0; at < 150; at += 1) {
      write(`rules/r${at}.yaml`, `name: R${at}\nexpression: ${longest.join(' || ')}\n`)
    }

    const { code, out } = await push()

    expect({ code, made: out.match(/^created/gm)?.length }).toEqual({ code: 0, made: 150 })
    expect(await counts()).toEqual([150, 0, 0])
    expect(writes).toEqual([413, 200, 200])
    expect((await push()).out).toBe('Nothing differs that a push would write.\n')
  })
})

describe('a file that lost its id', () => {
  test('gets that of what says the same, by pull too, and its comments stay', async () => {
    const id = await shop.customer.rule('list.block', 'A')
    write('rules/mine.yaml', '# mine\nname: A\nexpression: list.block\n')

    const { out } = await pull()

    expect(out).toBe('changed  rules/mine.yaml\n1 changed.\n')
    expect(file('rules/mine.yaml')).toBe(`# mine\nid: ${id}\nname: A\nexpression: list.block\n`)
  })

  test('gets none that another file has, nor of what says anything else', async () => {
    await shop.customer.rule('list.block', 'A')
    await pull()
    await shop.customer.rule('list.block', 'B')
    write('rules/twin.yaml', 'name: A\nexpression: list.block\n')
    write('rules/other.yaml', 'name: B\nexpression: list.allow\n')

    const { out } = await push()

    expect(out).toMatch(/^created {2}rules\/other\.yaml .*\ncreated {2}rules\/twin\.yaml /)
    expect(await counts()).toEqual([4, 0, 0])
  })
})

describe('a dry run', () => {
  test('ends with 1 when there is something to write, says what, and writes nothing', async () => {
    writeNew()
    const before = file('rules/a.yaml')

    const { code, out, err } = await push('--dry-run')
    const json = await push('--dry-run', '--json')

    expect({ code, err }).toEqual({ code: 1, err: '' })
    expect(out).toBe(
      'would create  rules/a.yaml\nwould create  recipes/r.yaml\nwould create  flows/f.yaml\n',
    )
    expect(json.json()).toEqual({
      to_do: [
        { action: 'create', file: 'rules/a.yaml' },
        { action: 'create', file: 'recipes/r.yaml' },
        { action: 'create', file: 'flows/f.yaml' },
      ],
      only_on_the_service: [],
    })
    expect(await counts()).toEqual([0, 0, 0])
    expect(file('rules/a.yaml')).toBe(before)
  })

  test('ends with 0 when a push would write nothing, though diff finds what only the service has', async () => {
    await shop.customer.rule('list.block', 'Theirs')
    mkdirSync(at('rules'), { recursive: true })

    const planned = await push('--dry-run')
    const pruned = await push('--dry-run', '--prune')

    expect(planned.code).toBe(0)
    expect(planned.out).toContain('1 only on the service, left there (--prune deletes).')
    expect(pruned.code).toBe(1)
    expect(pruned.out).toMatch(/^would delete {2}rules\/theirs\.yaml {2}rul_/)
    expect((await diff()).code).toBe(1)
    expect(await counts()).toEqual([1, 0, 0])
  })

  test('of a rule that something else still holds says so before it is deleted', async () => {
    const rule = await shop.customer.rule('list.block', 'Held')
    await shop.customer.recipe([{ rule_id: rule, weight: 1 }], { name: 'Holder' })
    await pull()
    const text = file('recipes/holder.yaml').replace('rule: held', `rule: ${rule}`)
    write('recipes/holder.yaml', text)
    writeFileSync(at('rules/held.yaml'), 'name: Another\nexpression: list.allow\n')

    const { code, err } = await push('--dry-run', '--prune')

    expect(code).toBe(2)
    expect(err).toContain('  rules/held.yaml: The rule is still referenced')
  })

  test.each(['diff', 'push'])(
    '%s that is refused ends with 2, never with the 1 of a difference',
    async (word) => {
      writeNew()
      const flags = word === 'push' ? ['--dry-run'] : []

      const { code, err } = await shop.cli.run([word, at(), ...flags, '--token', 'wrong'])
      const real = await push('--token', 'wrong')

      expect(code).toBe(2)
      expect(err).toContain('vigil: invalid_api_token: ')
      expect(real.code).toBe(1)
    },
  )
})

describe('what is probably not meant', () => {
  beforeEach(() => {
    writeNew('list.block && !list.block')
    write('flows/idle.yaml', 'name: F\nrecipes: [r]\n')
  })

  const said = [
    'vigil: warning: rules/a.yaml:2:13: The rule never triggers, whatever arrives.',
    'vigil: warning: recipes/r.yaml:3:12: The recipe can never flag: no set of its rules reaches the threshold of 1, and no rule overrides with FLAG.',
    'vigil: warning: flows/f.yaml:1:7: Another flow of the request has this name.',
    'vigil: warning: flows/idle.yaml:1:7: Another flow of the request has this name.',
  ]

  test('is said where it stands, and the folder is pushed', async () => {
    const { code, err } = await push()

    expect(code).toBe(0)
    expect(err.split('\n').filter((line) => line.includes('warning'))).toEqual(said)
    expect(await counts()).toEqual([1, 1, 2])
  })

  test('is said before anything is pushed', async () => {
    const dry = await push('--dry-run')
    const differs = await diff()

    for (const { code, err } of [dry, differs]) {
      expect(code).toBe(1)
      expect(err.split('\n').filter((line) => line.includes('warning'))).toEqual(said)
    }
    expect(await counts()).toEqual([0, 0, 0])
  })

  test('is part of what a program is told', async () => {
    const { out, err } = await push('--dry-run', '--json')

    const { warnings } = JSON.parse(out) as { warnings: readonly { path: string }[] }
    expect(err).toBe('')
    expect(warnings).toContainEqual({
      path: 'rules/a.yaml',
      line: 2,
      column: 13,
      message: 'The rule never triggers, whatever arrives.',
    })
  })
})
