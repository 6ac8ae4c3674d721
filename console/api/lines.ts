/** Reads an answer of one JSON value a line, as it comes. */

import { send } from './client.ts'

/** Ends when the answer does; throws `ApiFailure` where it is refused, and the reason when it is aborted. */
export async function* readLines<Line>(url: string, signal: AbortSignal): AsyncGenerator<Line> {
  const { body } = await send(url, { signal })
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const lines = (rest + step.value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Line
  }
}
