/** Declares the configuration of a resource's routes, and builds the response of a save. */

import type { Kind, ResourceView, Rulebook, Saved } from '../../commands/rulebook/resources.ts'
import type { FailureCode } from '../../domain/failure.ts'
import { entityTag } from '../../domain/text/entityTag.ts'
import type { Warning } from '../../domain/warning.ts'
import type { Resources } from '../../queries/rulebook/resources.ts'
import { type Answer, written } from '../request/answer.ts'
import { type Access, type AnswerFacts, accountAccess, type Served } from '../request/route.ts'
import type { ResourceSchemas } from './resourceSchemas.ts'

export interface RoutedResource<Input, Of extends Rulebook> {
  readonly context: Served['context']
  readonly kind: Kind<Input, Of>
  readonly of: Resources<ResourceView, Of['caller']>
  readonly schemas: ResourceSchemas<Input>
  readonly access: Access<Of['caller']>
  readonly tag: string
  /** Of the whole collection. */
  readonly path: string
  /** `rules`: under which a page lists them. */
  readonly plural: string
  /** The operation id of the list, when it is not made of the kind's noun. */
  readonly listId?: string
  /** Of every route. */
  readonly failures: readonly FailureCode[]
  readonly writeFailures: readonly FailureCode[]
  readonly removeFailures: readonly FailureCode[]
}

/** Shared configuration of author resources, all with the scope `author`. */
export function authorsResource({ context, authenticate }: Served, plural: string) {
  return {
    context,
    access: accountAccess(authenticate, 'author'),
    tag: 'Authoring',
    path: `/v2/watch/management/${plural}`,
    plural,
    failures: ['access_not_enabled'],
  } as const
}

/** The 304 response to a read whose `If-None-Match` matches. */
export const unchangedAnswer: AnswerFacts = { description: 'It is what the caller has already.' }

/** Shared configuration of the collection routes. */
export function collection<Input, Of extends Rulebook>({
  path,
  tag,
  access,
}: RoutedResource<Input, Of>) {
  return { path, tag, access, ids: {} }
}

/** Shared configuration of the item routes. */
export function item<Input, Of extends Rulebook>(resource: RoutedResource<Input, Of>) {
  return {
    ...collection(resource),
    path: `${resource.path}/{id}`,
    ids: { id: resource.kind.prefix },
  }
}

/** The noun in an operation id: `ManagedRule` for `managed rule`. */
export function title(noun: string): string {
  return noun
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Response fields beside those of the resource. */
interface Warned {
  readonly warnings?: readonly Warning[]
}

/** The response of a save, with `warnings` only if there are any. The `ETag` is always that of the resource alone. */
export function savedAnswer(status: number, { warnings, ...saved }: Saved<object>): Answer {
  const { value } = saved
  const body: object & Warned = warnings.length === 0 ? value : { ...value, warnings }
  return { ...written(status, saved), body, etag: entityTag(value) }
}
