import type { Command } from 'commander';
import { addBackup } from './backup.ts';
import { addCheck } from './check.ts';
import { addDoctor } from './doctor.ts';
import { addKey } from './key.ts';
import { addKnowledge } from './knowledge.ts';
import { addMember } from './member.ts';
import { addMove } from './move.ts';
import { addPush } from './push.ts';
import { addKillswitch, addToken } from './server.ts';
import { addSession } from './session.ts';
import type { Terminal } from './terminal.ts';
import { addAudit, addConsent } from './verify.ts';
import { addWorkspace } from './workspace.ts';

/** Adds every command but `serve`, in the order of the help. */
export function addCommands(program: Command, terminal: Terminal): void {
  for (const add of [
    addWorkspace,
    addMember,
    addKey,
    addSession,
    addKnowledge,
    addPush,
    addCheck,
    addKillswitch,
    addAudit,
    addConsent,
    addToken,
    addBackup,
    addMove,
    addDoctor,
  ])
    add(program, terminal);
}
