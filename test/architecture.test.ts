import { readdirSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Import, layerProblems } from './support/layers.ts'

/** Each line may import from the lines above it and from its own folder, never from its own line or below. */
const layers = [
  ['domain'],
  ['engine', 'auth'],
  ['events', 'metrics', 'log'],
  ['stores', 'managed'],
  ['projections'],
  ['state'],
  // what changes state and what answers questions: neither knows the other
  ['commands', 'queries'],
  ['config'],
  ['app'],
  ['http', 'cli', 'demo'],
  ['main'],
]

const layerOf = new Map(layers.flatMap((names, layer) => names.map((name) => [name, layer])))
const home = (file: string) => file.replace(/\.ts$/, '').split('/')[0] ?? ''
const files = (readdirSync('src', { recursive: true }) as string[]).filter((f) => f.endsWith('.ts'))
interface SourceImport extends Import {
  /** Whether it is of types only. */
  readonly isType: boolean
  /** Whether it loads the module when it is called. */
  readonly isLazy: boolean
}

const imports: readonly SourceImport[] = files.flatMap((file) =>
  [
    ...readFileSync(`src/${file}`, 'utf8').matchAll(
      /(?:(import type) \{[^}]*\} )?(?:from|import)\s*(\(?)\s*'(\.[^']+)'/g,
    ),
  ].map(([, type, call, path]) => ({
    file,
    target: posix.normalize(posix.join(posix.dirname(file), path ?? '')),
    isType: type !== undefined,
    isLazy: call === '(',
  })),
)
const level = (path: string) => layerOf.get(home(path)) ?? Number.NaN

/** Files that a folder may hold directly. */
const filesMax = 15

/**
 * Lines of a layer, and of what stands beside the layers, at the most: they only go down, or a commit of its own says
 * why.
 */
const linesMax: Readonly<Record<string, number>> = {
  '.': 540,
  app: 1_300,
  auth: 800,
  cli: 9_840,
  commands: 9_200,
  config: 170,
  domain: 3_280,
  engine: 7_130,
  events: 4_540,
  http: 10_540,
  main: 280,
  managed: 260,
  metrics: 680,
  projections: 4_790,
  queries: 13_420,
  state: 6_500,
  stores: 8_600,
}

test('there is something to check', () => expect(imports.length).toBeGreaterThan(100))

test('every folder has a layer', () =>
  expect(files.map(home).filter((name) => !layerOf.has(name))).toEqual([]))

test('no file imports upward or sideways', () =>
  expect(
    imports.filter((i) => home(i.file) !== home(i.target) && !(level(i.target) < level(i.file))),
  ).toEqual([]))

test('what `vigil` loads before it knows its command is of no server', () => {
  const loaded = new Set(['cli/main.ts'])
  for (const file of loaded) {
    for (const one of imports) {
      if (one.file === file && !one.isType && !one.isLazy) loaded.add(one.target)
    }
  }

  expect(loaded.size).toBeGreaterThan(50)
  expect([...loaded].filter((file) => !/^(cli|domain|engine|config)\b/.test(file))).toEqual([
    'stores/connectionStrings.ts',
  ])
})

/** Backup, restore and move work on the stores themselves, without a service. */
const isTransfer = ({ file, target }: Import): boolean =>
  file.startsWith('cli/operations/') && target.startsWith('stores/transfer/')

test('HTTP and the command line see commands, queries, their state and what is pure, but no store', () =>
  expect(
    imports.filter(
      (i) =>
        /^(http|cli)\//.test(i.file) &&
        /^(events|stores|projections)\//.test(i.target) &&
        !isTransfer(i),
    ),
  ).toEqual([]))

/** Work on the files of a store, without a service. */
const isOffline = ({ file }: Import): boolean =>
  /^queries\/(operations\/analystGrant|audit\/replays\/(replayFolder|replayThread))/.test(file)

test('only app uses a store implementation', () =>
  expect(
    imports.filter(
      (i) =>
        /^stores\/(open|(embedded|eventstoredb|mongodb|transfer)\/)/.test(i.target) &&
        !/^(stores|app)\b/.test(i.file) &&
        !isTransfer(i) &&
        !isOffline(i),
    ),
  ).toEqual([]))

// On Node 22 a thread that is ended by force while modules behind such a one are evaluated takes the process with it.
test('no module waits for a promise before those that import it are evaluated', () =>
  expect(
    files
      // nobody imports the beginning of a process
      .filter((file) => !/(^|\/)main\.ts$/.test(file))
      .filter((file) => /^(\S.*\s)?await\b/m.test(readFileSync(`src/${file}`, 'utf8'))),
  ).toEqual([]))

// a verdict has the same bytes for ever only if no update of such a table can reach it: its answers are evidence
test('what runs or explains a rule does not reach the tables of phone numbers', () => {
  const isOfRuns = (file: string) => /^engine\/(compile|explain|language|run)\//.test(file)
  const reached = new Set(files.filter(isOfRuns))
  for (const file of reached) {
    const read = imports.filter((one) => one.file === file && !one.isType)
    for (const { target } of read) reached.add(target)
  }
  const asking = files.filter((file) =>
    readFileSync(`src/${file}`, 'utf8').includes("from 'libphonenumber-js"),
  )

  expect(asking).toEqual(['domain/evaluation/phone.ts'])
  expect([...reached].filter((file) => asking.includes(file))).toEqual([])
})

describe('the folders of a layer', () => {
  test('every area has its folder and imports on its layer only from areas left of it', () => {
    expect(layerProblems(files, imports)).toEqual([])
  })

  test.each([
    ['an area to the right', 'http/accounts/a.ts', 'http/signals/b.ts'],
    ['an area to the right, far away', 'events/accounts/a.ts', 'events/operations/b.ts'],
    ['shared an area', 'projections/running/a.ts', 'projections/accounts/b.ts'],
    ['an area a registry', 'http/accounts/a.ts', 'http/routes.ts'],
    ['shared a registry', 'cli/terminal/a.ts', 'cli/program.ts'],
  ])('%s cannot import: refused', (_, file, target) => {
    expect(layerProblems([file, target], [{ file, target }])).toEqual([
      expect.stringContaining(`${file} imports ${target}`),
    ])
  })

  test.each([
    ['its own folder', 'cli/rulebook/folder/a.ts', 'cli/rulebook/b.ts'],
    ['an area to the left', 'http/operations/a.ts', 'http/accounts/b.ts'],
    ['shared', 'commands/evaluation/a.ts', 'commands/handling/b.ts'],
    ['a layer above, any area of it', 'http/accounts/a.ts', 'queries/audit/b.ts'],
    ['a registry of a layer above', 'http/accounts/a.ts', 'events/catalogue.ts'],
  ])('%s can be imported', (_, file, target) => {
    expect(layerProblems([file, target], [{ file, target }])).toEqual([])
  })

  test('shared may import other shared, and a registry every area', () => {
    const allowed = [
      { file: 'http/openapi/a.ts', target: 'http/request/b.ts' },
      { file: 'http/routes.ts', target: 'http/operations/b.ts' },
    ]

    expect(
      layerProblems(
        allowed.flatMap(({ file, target }) => [file, target]),
        allowed,
      ),
    ).toEqual([])
  })

  test.each(['commands/helpers/a.ts', 'queries/running/a.ts', 'http/terminal/a.ts'])(
    'a folder that is neither an area nor shared folder of its layer is refused: %s',
    (file) => {
      expect(layerProblems([file], [])).toEqual([expect.stringContaining(file)])
    },
  )

  test.each(['http/helpers.ts', 'commands/publish.ts', 'queries/joinService.ts'])(
    'a file beside the folders that is no registry is refused: %s',
    (file) => {
      expect(layerProblems([file], [])).toEqual([expect.stringContaining(file)])
    },
  )
})

test('no folder holds more files than it may', () => {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  const large = [...counts].filter(([, count]) => count > filesMax)

  expect(large).toEqual([])
})

/** Pictures that say less than the field's own terms. */
const refusedWords = new Set(
  (
    'house room rooms floor door doors way ways line lines place places turn turns board look looks held elsewhere ' +
    'trouble mover lend member members part parts family families standing takers namesake sight sights'
  ).split(' '),
)

test('files and folders are named by terms of the field', () => {
  const wordsOf = (path: string) =>
    path.split(/[/.]/).flatMap((name) => name.replaceAll(/[A-Z]/g, ' $&').toLowerCase().split(' '))

  expect(files.filter((file) => wordsOf(file).some((word) => refusedWords.has(word)))).toEqual([])
})

/** Characters of a file's first line, comment marks included. */
const firstLineMax = 100

test('every file begins with one line that says what it does', () => {
  const firstLine = (file: string) =>
    readFileSync(`src/${file}`, 'utf8')
      .replace(/^#!.*\n\n/, '')
      .split('\n', 1)[0] ?? ''
  const isSentence = (line: string) =>
    /^\/\*\* [A-Z].*[^ ] \*\/$/u.test(line) && [...line].length <= firstLineMax

  expect(files.filter((file) => !isSentence(firstLine(file)))).toEqual([])
})

/** Characters of a line with a comment. */
const commentMax = 120

test.each(['src', 'test', 'bench'])('no comment in %s is wider than it may be', (folder) => {
  const paths = (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
  const wide = paths.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.length > commentMax && /^\s*(?:\/\/|\/?\*)/.test(line))
      .map((line) => `${path}: ${line}`),
  )

  expect(paths.length).toBeGreaterThan(50)
  expect(wide).toEqual([])
})

test('no layer has more lines than it may', () => {
  const lines = new Map<string, number>()
  for (const file of files) {
    const [layer = ''] = file.includes('/') ? file.split('/') : ['.']
    const count = readFileSync(`src/${file}`, 'utf8').split('\n').length - 1
    lines.set(layer, (lines.get(layer) ?? 0) + count)
  }

  expect([...lines.keys()].sort()).toEqual(Object.keys(linesMax).sort())
  expect([...lines].filter(([layer, count]) => count > (linesMax[layer] ?? 0))).toEqual([])
})
