/** Shows the settings of verification, or to the operator the sender IDs of all accounts. */

import { may, session } from '../../api/session.ts'
import { Command, Empty } from '../../parts/states.tsx'
import { Decisions } from './decisions.tsx'
import { SenderIds } from './senderIds.tsx'
import { Templates } from './templates.tsx'
import '../../parts/question.css'

export function VerificationScreen() {
  const { value } = session
  const who = 'who' in value ? value.who : undefined
  return (
    <>
      <h1>Verification</h1>
      {may('operator') ? (
        <Decisions />
      ) : who?.management === false ? (
        <Empty title="The account has no settings of verification">
          <p>The operator enables them:</p>
          <Command>{`npx vigil access ${who.account_id} --management on`}</Command>
        </Empty>
      ) : (
        <>
          <SenderIds />
          <Templates />
        </>
      )}
    </>
  )
}
