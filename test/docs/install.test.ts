import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Lock {
  readonly packages: Readonly<Record<string, { readonly engines?: { readonly node?: string } }>>
}

// the SDK of browsers names the Node of its own build, which no browser has: the lock file leaves that out
test('npm ci has no package that warns of a supported Node, because it names one major version alone', () => {
  const lock = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
  ) as Lock

  const alone = Object.entries(lock.packages).filter(([, { engines }]) =>
    /^\d+(\.(x|\*|\d+))*$/.test(engines?.node ?? ''),
  )

  expect(alone).toEqual([])
})
