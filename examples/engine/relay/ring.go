package main

import "sync"

// Reading is one water level of one station.
type Reading struct {
	Station  string `json:"station"`
	Sequence uint64 `json:"sequence"`
	UnixS    int64  `json:"unix_s"`
	LevelMM  int    `json:"level_mm"`
}

// Ring keeps the newest readings of one station in a fixed amount of memory.
// It is safe for use by several goroutines.
type Ring struct {
	mu       sync.RWMutex
	readings []Reading
	next     int
	full     bool
}

// NewRing makes a ring for size readings.
func NewRing(size int) *Ring {
	return &Ring{readings: make([]Reading, size)}
}

// Add stores a reading and overwrites the oldest one when the ring is full.
// A reading that is stored already is ignored, because the gauge repeats a
// datagram until it sees the acknowledgement.
func (r *Ring) Add(reading Reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, stored := range r.readings {
		if stored == reading {
			return
		}
	}
	r.readings[r.next] = reading
	r.next = (r.next + 1) % len(r.readings)
	r.full = r.full || r.next == 0
}

// All returns the readings, oldest first.
func (r *Ring) All() []Reading {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if !r.full {
		return append([]Reading{}, r.readings[:r.next]...)
	}
	return append(append([]Reading{}, r.readings[r.next:]...), r.readings[:r.next]...)
}
