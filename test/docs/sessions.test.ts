/** Every command of the guides to applications and sessions and to auditing, in their order, on a whole service. */

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../cli/support/openShop.ts'

const guide = ['sessions', 'auditing']
  .map((name) => readFileSync(`docs/guide/${name}.md`, 'utf8'))
  .join('\n')
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  block
    .trim()
    .replaceAll(/\\\n\s*/g, '')
    .split('\n'),
)

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

afterAll(() => shop.close())

/** The words of a command line as a shell takes them apart. */
function wordsOf(line: string): readonly string[] {
  const words = line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return [...words].map(([, double, single, bare]) => double ?? single ?? bare ?? '')
}

/** What lines before have kept under a name. */
const kept = new Map<string, string>()

/** The line with what was kept in the place of its names. */
function filled(line: string): string {
  return [...kept].reduce((text, [name, value]) => text.replaceAll(`$${name}`, value), line)
}

/** What stands at a path as `jq` writes it: `.users[0].id`. */
function partAt(body: unknown, path: string): string {
  const steps = path.match(/[^.[\]']+/g) ?? []
  return String(steps.reduce<unknown>((part, step) => Object(part)[step], body))
}

/** Asks what a line of `curl` asks. */
async function curl(words: readonly string[]) {
  const after = (flag: string) => words[words.indexOf(flag) + 1]
  const url = words.find((word) => word.startsWith('$VIGIL_URL')) ?? ''
  const method = words.includes('-X') ? (after('-X') ?? '') : 'GET'
  const body: unknown = words.includes('-d') ? JSON.parse(after('-d') ?? '') : undefined
  const headers = words
    .filter((_, index) => words[index - 1] === '-H')
    .map(
      (line) => line.replace('$VIGIL_TOKEN', shop.customer.token).split(': ') as [string, string],
    )
  return shop.vigil.door.request(method, url.slice('$VIGIL_URL'.length), {
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    ...(body !== undefined && { body }),
  })
}

test('the guide has commands', () => {
  expect(commands.length).toBeGreaterThan(7)
})

test.each(commands)('%s', async (line) => {
  const [, name, command, path = ''] = /^(\w+)=\$\((.*) \| jq -r (.*)\)$/.exec(line) ?? []
  const [program, ...words] = wordsOf(filled(command ?? line))

  if (program === 'curl') {
    const { status, body } = await curl(words)
    expect([200, 201, 204]).toContain(status)
    if (name !== undefined) kept.set(name, partAt(body, path))
  } else {
    expect(program).toBe('vigil')
    expect((await shop.run(words)).code).toBe(0)
  }
})
