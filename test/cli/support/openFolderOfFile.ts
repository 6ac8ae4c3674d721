/** A folder of a rulebook, and the commands that push and pull it, for a new customer in every test of a file. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { openVigil } from '../../support/openVigil.ts'
import type { Ended } from './openCli.ts'
import { openShop, type Shop } from './openShop.ts'

/** Opens one service for the file; the shop is another one in each test. */
export async function openFolderOfFile() {
  const vigil = await openVigil()
  const shop = {} as Shop
  afterAll(() => vigil.close())
  beforeEach(async () => {
    Object.assign(shop, await openShop(vigil))
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await shop.close()
  })

  /** The path of a file in the folder, or of the folder. */
  const at = (name = ''): string => join(shop.cli.folder, 'rulebook', name)
  const file = (name: string): string => readFileSync(at(name), 'utf8')
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), text)
  }
  type Command = (...flags: readonly string[]) => Promise<Ended>
  const pull: Command = (...flags) => shop.run(['pull', at(), ...flags])
  const push: Command = (...flags) => shop.cli.run(['push', at(), ...flags])
  const diff: Command = (...flags) => shop.cli.run(['diff', at(), ...flags])
  return { vigil, shop, at, file, write, pull, push, diff }
}

type Intercept = (init: RequestInit | undefined, real: () => Promise<Response>) => Promise<Response>

/** Lets the requests that write, and none of those that ask, go through here. */
export function interceptWrites(intercept: Intercept): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const go = () => real(input, init)
    const asks = init?.method === 'GET' || String(init?.body).includes('"dry_run":true')
    return asks ? go() : intercept(init, go)
  })
}
