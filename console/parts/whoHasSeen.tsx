/** Leads an auditor to who was shown a person in clear. */

import { linkTo } from '../api/address.ts'
import { may } from '../api/session.ts'

/** Nothing of a value that is sealed. */
export function WhoHasSeen({ person }: { readonly person: unknown }) {
  if (!may('audit') || typeof person !== 'string') return null
  return <a href={linkTo('/audit', { type: 'PersonOpened', person })}>Who has seen them</a>
}
