/** What the routes of one resource are made of. */

import type { FailureCode } from '../../domain/failure.ts'
import type { IdPrefix } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { VersionedResource } from '../../service/rulebook/versionedResource.ts'
import { type Access, type AnswerFacts, accountAccess } from '../request/route.ts'
import type { ResourceSchemas } from './resourceSchemas.ts'

export interface RoutedResource<Input, View, Caller extends Principal> {
  readonly resource: VersionedResource<Input, View, Caller>
  readonly schemas: ResourceSchemas
  readonly access: Access<Caller>
  readonly tag: string
  /** Of the whole collection. */
  readonly path: string
  /** `rules`: under which a page lists them. */
  readonly plural: string
  /** `managed rule`: what summaries and operation ids are made of. */
  readonly noun: string
  /** The operation id of the list, when it is not made of the noun. */
  readonly listId?: string
  readonly prefix: IdPrefix
  /** Of every route. */
  readonly failures: readonly FailureCode[]
  readonly writeFailures: readonly FailureCode[]
  readonly removeFailures: readonly FailureCode[]
}

/** What the resources of authors have in common, all for the scope `author`. */
export function authorsResource({ authenticate }: AccountsPart, plural: string) {
  return {
    access: accountAccess(authenticate, 'author'),
    tag: 'Authoring',
    path: `/v2/watch/management/${plural}`,
    plural,
    failures: ['access_not_enabled'],
  } as const
}

/** Answered to a read whose `If-None-Match` names what would be answered. */
export const unchangedAnswer: AnswerFacts = { description: 'It is what the caller has already.' }

/** What the routes of the whole collection have in common. */
export function collection<Input, View, Caller extends Principal>({
  path,
  tag,
  access,
}: RoutedResource<Input, View, Caller>) {
  return { path, tag, access, ids: {} }
}

/** What the routes of one item have in common. */
export function item<Input, View, Caller extends Principal>(
  resource: RoutedResource<Input, View, Caller>,
) {
  return { ...collection(resource), path: `${resource.path}/{id}`, ids: { id: resource.prefix } }
}

/** The noun in an operation id: `ManagedRule` for `managed rule`. */
export function title(noun: string): string {
  return noun
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
