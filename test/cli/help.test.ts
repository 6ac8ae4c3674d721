import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProgram, commandGroups } from '../../src/cli/program.ts'
import { exitCodes } from '../../src/cli/terminal/cliError.ts'
import { type Cli, openCli } from './support/openCli.ts'

let cli: Cli

beforeAll(() => {
  cli = openCli()
})

afterAll(() => cli.close())

/** The words of every command, those with commands of their own included. */
function commandsOf(): readonly string[][] {
  const all: string[][] = []
  const visit = (command: ReturnType<typeof buildProgram>, words: string[]): void => {
    for (const child of command.commands) {
      // below a group it is there without being listed
      if (child.name() === 'help' && words.length > 0) continue
      const path = [...words, child.name()]
      all.push(path)
      visit(child, path)
    }
  }
  visit(programOf(), [])
  return all
}

function programOf(): ReturnType<typeof buildProgram> {
  const context = {} as Parameters<typeof buildProgram>[0]['context']
  return buildProgram({
    exitCode: 0,
    words: [],
    context: { ...context, stdout: sink, stderr: sink, environment },
  })
}

const sink = { isTty: false, columns: undefined, write: () => undefined }
const environment = {} as Parameters<typeof buildProgram>[0]['context']['environment']

test('the help of the program lists its commands by audience, its exit codes and an example', async () => {
  const { code, out, err } = await cli.run(['--help'])

  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out.match(/^For .*:$/gm)).toEqual(Object.keys(commandGroups))
  expect(out.match(/^ {2}[a-z][\w-]*(?= )/gm)).toEqual(
    programOf().commands.map((command) => `  ${command.name()}`),
  )
  for (const exitCode of Object.values(exitCodes)) expect(out).toMatch(`\n  ${exitCode} `)
  expect(out).toContain('\nExample:\n  $ vigil eval ')
})

test.each([['--version'], ['-V']])('%s prints the version of the package', async (flag) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

  expect(await cli.run([flag])).toMatchObject({ code: 0, out: `${version}\n`, err: '' })
})

test.each([
  [['rules', 'restore', 'rul_1', '--version', 'ver_1'], 'vigil rules'],
  [['push', 'rulebook', '-V'], 'vigil push'],
  [['--json', 'rules', '--version'], 'vigil rules'],
])(
  '%j asks for no version: it is refused instead of ending with 0, nothing done',
  async (words, of) => {
    const { code, out, err } = await cli.run(words)

    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`--version is an option of vigil alone, not of ${of}`)
  },
)

test.each([
  [['help'], ['--help']],
  [
    ['help', 'eval'],
    ['eval', '--help'],
  ],
  [
    ['help', 'managed', 'rules', 'list'],
    ['managed', 'rules', 'list', '--help'],
  ],
  [
    ['rules', 'help', 'create'],
    ['rules', 'create', '--help'],
  ],
  [
    ['rules', 'help'],
    ['rules', '--help'],
  ],
])('%j prints what %j prints', async (words, asked) => {
  const { code, out, err } = await cli.run(words)

  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toBe((await cli.run(asked)).out)
})

test('the help fits a narrow terminal', async () => {
  const { out } = await cli.run(['rules', 'list', '--help'], { terminal: true, columns: 60 })

  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
})

test('the guide names every command, and every exit code', () => {
  const guide = readFileSync('docs/guide/cli.md', 'utf8')

  const unnamed = commandsOf()
    .filter((words) => !commandsOf().some((other) => isUnder(other, words)))
    .filter((words) => !guide.includes(`vigil ${words.join(' ')}`))

  expect(unnamed).toEqual([])
  for (const code of Object.values(exitCodes)) expect(guide).toContain(`| ${code} | `)
})

/** What a page has as `vigil …` in its text; what stands in blocks is run by the tests of the guides. */
const mentions = ['README.md', ...readdirSync('docs/guide').map((name) => `docs/guide/${name}`)]
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) => {
    const text = readFileSync(page, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    return [...text.matchAll(/`(?:npx )?vigil ([^`]+)`/g)].map(([, words = '']) => ({
      page,
      words,
    }))
  })

test('the guides name only commands and options that there are', () => {
  const strange = mentions.filter(({ words }) => {
    const given = words.split(/[\s=]+/)
    const { command, rest } = reached(given)
    const options = [...command.options, ...(command.parent?.options ?? []), ...programOf().options]
    return (
      (rest === given && !given[0]?.startsWith('-')) ||
      given.some((word) => word.startsWith('--') && !options.some(({ long }) => long === word))
    )
  })

  expect(mentions.length).toBeGreaterThan(150)
  expect(strange.filter(({ words }) => words !== 'help COMMAND' && words !== '--help')).toEqual([])
})

/** The command that the words name, and what is left of them. */
function reached(
  words: readonly string[],
  command = programOf(),
): { readonly command: ReturnType<typeof buildProgram>; readonly rest: readonly string[] } {
  const child = command.commands.find((one) => one.name() === words[0])
  return child ? reached(words.slice(1), child) : { command, rest: words }
}

/** Whether the one is a command of the other. */
function isUnder(words: readonly string[], parent: readonly string[]): boolean {
  return words.length > parent.length && parent.every((word, index) => words[index] === word)
}

test('the help of a command says what it takes, what every command takes, and an example', async () => {
  const { code, out } = await cli.run(['eval', '--help'])

  expect(code).toBe(0)
  expect(out).toMatchInlineSnapshot(`
    "Usage: vigil eval [options] <flow>

    Evaluate a flow and print the outcome of every rule. The evaluation is recorded.

    Arguments:
      flow                   its name or id

    Options:
      --phone <number>       phone number of the end user
      --email <address>      email address of the end user
      --dispatch <id>        dispatch of the front end
      --signal <name=value>  a signal; may be repeated
      --ext <name=value>     a signal of your own; may be repeated
      --explain              print why, as show does (needs the scope analyse)
      --exit-code            end with 10 for FLAG
      -h, --help             display help for command

    Global Options:
      -V, --version          print the version
      --server <url>         address of the service
      --token <token>        API token; - reads it from standard input
      --profile <name>       profile to take server and token from
      --json                 print JSON, errors too

    Example:
      $ vigil eval Signup --email ada90210@mailinator.com --ext shop_country=FR
    "
  `)
})

test.each(commandsOf().map((words) => words.join(' ')))(
  '%s has help on stdout, with an example',
  async (words) => {
    const { code, out, err } = await cli.run([...words.split(' '), '--help'])

    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`Usage: vigil ${words} `)
    expect(out).toContain('\nExample:\n  $ vigil ')
  },
)

test.each([
  [['rulez'], "unknown command 'rulez'", 'Did you mean rules?'],
  [['rules', 'lst'], "unknown command 'lst'", 'Did you mean list?'],
  [['eval', 'flo_1', '--phon', '+1'], "unknown option '--phon'", 'Did you mean --phone?'],
  [['rules', 'get'], "missing required argument 'rule'", ''],
  [['tokens', 'issue', 'acc_1'], "required option '--scope <scope>' not specified", ''],
  [['tokens', 'issue', 'acc_1', '--scope', 'evil'], 'Must be of: eval, feedback', ''],
  [['tokens', 'issue', 'acc_1', '--scope', 'eval,audt'], 'Did you mean audit?', ''],
  [['access', 'acc_1', '--authoring', 'yes'], 'Must be on or off.', ''],
  [['eval', 'flo_1', '--ext', 'novalue'], 'Must be name=value.', ''],
  [['tail', '--count', '0'], 'Must be a whole number from 1', ''],
  [['flows', 'test'], "missing required argument 'flow'", ''],
  [['projections', 'rtry'], "unknown command 'rtry'", 'Did you mean retry?'],
  [['help', 'rulez'], "unknown command 'rulez'", 'Did you mean rules?'],
  [['rules', 'help', 'lst'], "unknown command 'lst'", 'Did you mean list?'],
  [['help', 'eval', 'flow'], "unknown command 'flow'", ''],
  [['--versoin'], "unknown option '--versoin'", 'Did you mean --version?'],
])(
  '%j is refused before anything is asked, with a suggestion where there is one',
  async (words, said, suggested) => {
    const { code, out, err } = await cli.run(words)

    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toMatch(/^vigil: /)
    expect(err).toContain(said)
    expect(err).toContain(suggested)
  },
)

test('a value that begins with a dash is taken behind --, as is said where it stood before it', async () => {
  const refused = await cli.run(['rules', 'get', '-rule'])
  const taken = await cli.run(['rules', 'get', '--server', 'http://127.0.0.1:9', '--', '-rule'])

  expect(refused.err).toContain("unknown option '-rule'")
  expect(refused.err).toContain('a value that begins with - goes after --')
  expect(taken.err).not.toContain('unknown option')
})

test('with --json a mistake in the words is one JSON object on stderr', async () => {
  const { code, err } = await cli.run(['rulez', '--json'])

  expect(code).toBe(2)
  expect(JSON.parse(err)).toEqual({
    error: { code: 'usage', message: expect.stringContaining("unknown command 'rulez'") },
  })
})

test.each([[['rules']], [['managed', 'recipes']], [[]]])(
  '%j without a command under it shows its help and ends with 2',
  async (words) => {
    const { code, err } = await cli.run(words)

    expect(code).toBe(2)
    expect(err).toContain('Usage: vigil')
  },
)
