/** Prints the damage of a file, giving way to the service (entry point of a process). */

import { constants, setPriority } from 'node:os'
import { findDamage } from '../stores/embedded/inspectStores.ts'

// no lower: what is written to a file while it is read stays in its write-ahead log
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
process.stdout.write(findDamage(process.argv[2] ?? '') ?? '')
