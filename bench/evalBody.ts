/** The body of a request for an evaluation of a person. */

import type { Person } from './people.ts'

export interface EvalBody {
  readonly flow_id: string
  readonly target: Pick<Person, 'phone_number' | 'email_address'>
  readonly signals: Pick<Person, 'existing_user' | 'ext'>
}

/** Asks for the person by this flow. */
export function evalBody(person: Person, flow_id: string): EvalBody {
  const { phone_number, email_address, existing_user, ext } = person
  return { flow_id, target: { phone_number, email_address }, signals: { existing_user, ext } }
}

/** Who is asked for. */
export function personIn({ target, signals }: EvalBody): Person {
  return { ...target, ...signals }
}
