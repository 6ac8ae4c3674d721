/** Reads everything the service has. */

import type { Body, Client } from '../../connecting/client.ts'
import { listAll } from '../../connecting/listAll.ts'
import type { Progress } from '../../terminal/progress.ts'
import { type Kind, kindFacts } from './kind.ts'
import type { ByKind } from './readFolder.ts'

/** A list, rule, recipe or flow as the service answers it. */
export interface View extends Body {
  readonly id: string
  readonly name: string
}

/** All lists, rules, recipes and flows of the account. */
export async function listResources(client: Client, progress: Progress): Promise<ByKind<View>> {
  const list = async (kind: Kind): Promise<readonly View[]> => {
    const { path } = kindFacts[kind]
    const items = await listAll(client, { path, name: kind }, (count) =>
      progress.show(`reading ${kind}: ${count}`),
    )
    return items as readonly View[]
  }
  // what refers is read before what it refers to, so that it is there
  const flows = await list('flows')
  const recipes = await list('recipes')
  const rules = await list('rules')
  const lists = await list('lists')
  progress.clear()
  return { lists, rules, recipes, flows }
}
