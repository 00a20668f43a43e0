-- What a visitor's browser signalled with a decision holds on: the privacy signal, and where the visitor said to be.
ALTER TABLE consent_standing ADD COLUMN gpc INTEGER NOT NULL DEFAULT 0 CHECK (gpc IN (0, 1));
--> statement-breakpoint
ALTER TABLE consent_standing ADD COLUMN claimed_region TEXT;
