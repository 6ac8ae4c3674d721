/** What the commands that publish have in common. */

import { canonicalJson } from '../../domain/canonicalJson.ts'

/** What a command that publishes is given beside the content and the id of what has it. */
export interface Publishing {
  /** Of the version that is made when the content is another. */
  readonly versionId: string
  /** Whether the thing is made by this command or must be there. */
  readonly mode: 'create' | 'replace'
}

/** Whether what stands, if anything does, says the same: then there is nothing to publish. */
export function isSame<Content extends object>(
  current: Content | undefined,
  content: Content,
): boolean {
  return current !== undefined && canonicalJson(current) === canonicalJson(content)
}
