import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const pages = [
  'README.md',
  'CHANGELOG.md',
  ...(readdirSync('docs', { recursive: true }) as string[])
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
]

/** The anchor that a heading gets where the pages are read. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

const links = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({ page, target })),
)

describe('the pages', () => {
  test('link to one another', () => expect(links.length).toBeGreaterThan(20))

  test.each(links)('$page leads to $target', ({ page, target }) => {
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : join(dirname(page), path)

    expect(existsSync(file)).toBe(true)
    if (anchor !== undefined) expect(anchorsOf(file)).toContain(anchor)
  })

  test('name only source files that are there', () => {
    const named = pages.flatMap((page) =>
      [
        ...readFileSync(page, 'utf8').matchAll(
          /`((?:src|test|ops|bench|docs|console)\/[\w./-]+)`/g,
        ),
      ].map(([, file = '']) => ({ page, file })),
    )

    expect(named.length).toBeGreaterThan(10)
    expect(named.filter(({ file }) => !existsSync(file))).toEqual([])
  })

  test('name files by the end of a path that one file has', () => {
    const files = ['src', 'test', 'bench', 'ops'].flatMap((folder) =>
      (readdirSync(folder, { recursive: true }) as string[]).map((file) => `/${folder}/${file}`),
    )
    const named = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/`((?:\w+\/)*[A-Za-z]\w+(?:\.test)?\.ts)`/g)].map(
        ([, file = '']) => ({ page, file }),
      ),
    )
    const found = named.map((one) => ({
      ...one,
      files: files.filter((file) => file.endsWith(`/${one.file}`)).length,
    }))

    expect(named.length).toBeGreaterThan(40)
    expect(found.filter((one) => one.files !== 1)).toEqual([])
  })

  test('of decisions name functions and fields that are there', () => {
    const files = ['src', 'test', 'bench', 'ops'].flatMap((folder) =>
      (readdirSync(folder, { recursive: true }) as string[])
        .filter((file) => /\.(?:ts|m?js)$/.test(file))
        .map((file) => readFileSync(join(folder, file), 'utf8')),
    )
    const known = new Set(files.join('\n').match(/[A-Za-z_$][\w$]*/g))
    const named = pages
      .filter((page) => page.startsWith('docs/decisions/'))
      .flatMap((page) =>
        [...readFileSync(page, 'utf8').matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g)].map(
          ([, name = '']) => ({ page, name }),
        ),
      )

    expect(named.length).toBeGreaterThan(10)
    expect(named.filter(({ name }) => !known.has(name))).toEqual([])
  })
})
