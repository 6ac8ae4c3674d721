/** Declares the settings of verification: sender IDs and templates; to the operator, what waits for a decision. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Verification',
  path: '/verification',
  scopes: ['manage', 'audit', 'operator'],
  order: 7,
  load: async () => (await import('./verificationScreen.tsx')).VerificationScreen,
}
